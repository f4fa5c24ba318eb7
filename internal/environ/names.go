package environ

// harmless lists the names that are kept even in a GitHub Action.
var harmless = upper([]string{
	"PATH", "HOME", "LANG", "SHELL", "TMPDIR", "USER", "LOGNAME",

	// Windows
	"SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR", "TEMP", "TMP", "USERPROFILE", "SYSTEMDRIVE",

	// GitHub Actions
	"ADDITIONAL_CONTEXT", "AVAILABLE_LABELS", "BRANCH_NAME", "DESCRIPTION", "EVENT_NAME", "GITHUB_ENV",
	"IS_PULL_REQUEST", "ISSUES_TO_TRIAGE", "ISSUE_BODY", "ISSUE_NUMBER", "ISSUE_TITLE",
	"PULL_REQUEST_NUMBER", "REPOSITORY", "TITLE", "TRIGGERING_ACTOR",
})

// sensitive lists names of accounts and databases that contain none of the words in telling.
var sensitive = upper([]string{
	"CLIENT_ID", "DB_URI", "DATABASE_URL", "CONNECTION_STRING", "AWS_DEFAULT_REGION",
	"AZURE_CLIENT_ID", "AZURE_TENANT_ID", "SLACK_WEBHOOK_URL", "TWILIO_ACCOUNT_SID",
	"GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_ACCOUNT", "FIREBASE_PROJECT_ID",
})

// telling lists words of secrets: a variable is withheld if its name contains one.
var telling = [...]string{
	"TOKEN", "SECRET", "PASSWORD", "PASSWD", "KEY", "AUTH", "CREDENTIAL", "CREDS", "PRIVATE", "CERT",
}
