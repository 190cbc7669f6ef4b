/** Generates the zsh completion script. */
import { COMMANDS } from "../declarations/commands.ts";
import { type Declaration, type Option, optionsOf } from "../declarations/declaration.ts";
import { HELP_NAMES, quoted, spellings, valuesOf } from "./shell-words.ts";

export function zshScript(): string {
  return `#compdef holt
# zsh completion for holt: source <(holt completions zsh)
_holt_sessions() {
  local -a found
  local line
  for line in "\${(@f)$(holt completions --sessions $_holt_only 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V -t sessions session found
}
_holt_living() {
  local _holt_only=--living
  _holt_sessions
}
_holt_clients() {
  local -a found
  local line
  for line in "\${(@f)$(holt completions --clients="$words[*]" 2>/dev/null)}"; do
    [[ -n $line ]] && found+=("\${\${line%%$'\\t'*}//:/\\\\:}:\${line#*$'\\t'}")
  done
  _describe -V -t clients client found
}
_holt() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${COMMANDS.map(({ name, summary }) => `      ${quoted(`${name}:${summary}`)}\n`).join("")}    )
    _describe -V -t commands command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${COMMANDS.map(zshCase).join("")}  esac
}
if [[ $funcstack[1] == _holt ]]; then _holt "$@"; else compdef _holt holt; fi
`;
}

function zshCase(declaration: Declaration): string {
  const specs = [...optionsOf(declaration).map(zshOption), ...zshPositionals(declaration)];
  const wrapped = declaration.positionals.endsOptions === true ? WRAPPED_COMMAND : "";
  return `    ${declaration.name})${wrapped} _arguments -s -S \\\n${specs.map((spec) => `      ${spec}`).join(" \\\n")} ;;\n`;
}

/**
 * Completes the arguments of the wrapped command, after `--`, with that command's own completion.
 */
const WRAPPED_COMMAND = `
      local -i dashes=\${words[(i)--]}
      if (( dashes < CURRENT )); then
        shift $dashes words
        (( CURRENT -= dashes ))
        _normal
        return
      fi
     `;

function zshOption(option: Option): string {
  const names = spellings(option);
  const explained = `[${option.summary.replaceAll(/[[\]\\]/g, String.raw`\$&`)}]`;
  const value = option.value === undefined ? "" : `:${option.value}:${zshValues(option)}`;
  if (names.length === 1) return quoted(`${names[0]}${option.value === undefined ? "" : "="}${explained}${value}`);
  const [short, long] = option.value === undefined ? names : [`${names[0]}+`, `${names[1]}=`];
  return `${quoted(`(${names.join(" ")})`)}{${short},${long}}${quoted(explained + value)}`;
}

function zshValues(option: Option): string {
  if (option.completes !== undefined) return ZSH_GENERATORS[option.completes];
  return valuesOf(option).length === 0 ? "" : `(${valuesOf(option).join(" ")})`;
}

const ZSH_GENERATORS = { file: "_files", directory: "_files -/", client: "_holt_clients" };

function zshPositionals({ positionals: { name, most, completes, choices, offers, second } }: Declaration): string[] {
  if (completes === "command") return ["'(-):command:_command_names -e'", "'*::argument:_normal'"];
  const action =
    completes === "session"
      ? "_holt_sessions"
      : completes === "living"
        ? "_holt_living"
        : `(${(completes === "topic" ? HELP_NAMES : (choices ?? offers ?? [])).join(" ")})`;
  if (second !== undefined) {
    const [first = "", then = ""] = name.split(" ");
    return [quoted(`:${first}:${action}`), quoted(`:${then}:${second.length === 0 ? "" : `(${second.join(" ")})`}`)];
  }
  return most === 0 ? [] : [quoted(`${most > 1 ? "*" : ""}:${name}:${action}`)];
}
