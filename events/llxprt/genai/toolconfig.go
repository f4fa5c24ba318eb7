package genai

import (
	"github.com/go-json-experiment/json/jsontext"

	"github.com/snaphook-go/snaphook/wire"
)

// ToHookToolConfig returns, for hooks, the mode and allowedFunctionNames of an SDK toolConfig
// (L58). Members that are not set are left out.
func ToHookToolConfig(sdk wire.Object) wire.Object {
	return callingConfig(object(sdk.Get("functionCallingConfig")))
}

// FromHookToolConfig returns the SDK toolConfig for a hook's: functionCallingConfig with its mode
// and allowedFunctionNames, or {} if it has neither.
func FromHookToolConfig(config wire.Object) wire.Object {
	calling := callingConfig(config)
	if calling.IsEmpty() {
		return calling
	}
	return wire.Object(nil).With("functionCallingConfig", value(calling))
}

// ApplyToolConfig sets toolConfig.functionCallingConfig of target to a hook's, key by key, and
// keeps everything else, tools included. An empty config leaves target unchanged. A request that
// has its toolConfig inside config keeps it there.
func ApplyToolConfig(config, target wire.Object) wire.Object {
	calling := callingConfig(config)
	if calling.IsEmpty() || !target.IsObject() {
		return target
	}
	if inside := object(target.Get("config")); inside.Get("toolConfig").Kind() == '{' && !toolConfigOnTop(target) {
		return target.With("config", value(ApplyToolConfig(config, inside)))
	}
	sdk := object(target.Get("toolConfig"))
	calling = object(sdk.Get("functionCallingConfig")).Merge(calling)
	sdk = sdk.With("functionCallingConfig", value(calling))
	return target.With("toolConfig", value(sdk))
}

// callingConfig copies mode and allowedFunctionNames; a member of an undocumented type is treated as absent.
func callingConfig(o wire.Object) wire.Object {
	calling := wire.Object("{}")
	if mode := o.Get("mode"); mode.Kind() == '"' {
		calling = calling.With("mode", mode)
	}
	if names := o.Get("allowedFunctionNames"); names.Kind() == '[' {
		calling = calling.With("allowedFunctionNames", names)
	}
	return calling
}

// toolConfigOnTop reports whether a request has its toolConfig outside of config, as older callers
// write it.
func toolConfigOnTop(sdk wire.Object) bool {
	inside := object(sdk.Get("config")).Get("toolConfig")
	return inside.Kind() != '{' && sdk.Get("toolConfig").Kind() == '{'
}

// RequestToolConfig returns, for hooks, the toolConfig of an SDK request, which may be inside
// config or outside of it.
func RequestToolConfig(sdk wire.Object) wire.Object {
	home := sdk
	if !toolConfigOnTop(sdk) {
		home = object(sdk.Get("config"))
	}
	return ToHookToolConfig(object(home.Get("toolConfig")))
}

// applyRequestToolConfig sets the toolConfig of a request in the place where the request has it.
func applyRequestToolConfig(config jsontext.Value, sdk wire.Object) wire.Object {
	if callingConfig(object(config)).IsEmpty() {
		return sdk
	}
	if toolConfigOnTop(sdk) {
		return ApplyToolConfig(object(config), sdk)
	}
	inside := ApplyToolConfig(object(config), object(sdk.Get("config")))
	return sdk.With("config", value(inside))
}
