package environ

// harmless are the names that are kept even in a GitHub Action.
var harmless = upper([]string{
	"PATH", "HOME", "LANG", "SHELL", "TMPDIR", "USER", "LOGNAME",

	// Windows
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "SYSTEMDRIVE",

	// GitHub Actions
	"ADDITIONAL_CONTEXT", "AVAILABLE_LABELS", "BRANCH_NAME", "DESCRIPTION", "EVENT_NAME", "GITHUB_ENV",
	"IS_PULL_REQUEST", "ISSUES_TO_TRIAGE", "ISSUE_BODY", "ISSUE_NUMBER", "ISSUE_TITLE",
	"PULL_REQUEST_NUMBER", "REPOSITORY", "TITLE", "TRIGGERING_ACTOR",
})

// sensitive are names that give an account or a database away, though no
// telling word is in them.
var sensitive = upper([]string{
	"CLIENT_ID", "DB_URI", "DATABASE_URL", "CONNECTION_STRING", "AWS_DEFAULT_REGION",
	"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "SLACK_WEBHOOK_URL", "TWILIO_ACCOUNT_SID",
	"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT", "FIREBASE_PROJECT_ID",
})

// telling are words that no name of a kept variable may contain.
var telling = [...]string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT",
}
