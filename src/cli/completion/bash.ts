/** Generates the bash completion script. */
import { COMMANDS } from "../declarations/commands.ts";
import { type Declaration, type Option, optionsOf } from "../declarations/declaration.ts";
import { HELP_NAMES, quoted, sessionsFor, spellings, valuesOf } from "./shell-words.ts";

export function bashScript(): string {
  return `# bash completion for holt: source <(holt completions bash)
_holt() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD-1]} words= at
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=($(compgen -W ${quoted(COMMANDS.map(({ name }) => name).join(" "))} -- "$cur"))
    return
  fi
  case \${COMP_WORDS[1]} in
${COMMANDS.map(bashCase).join("")}  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -F _holt holt
`;
}

function bashCase(declaration: Declaration): string {
  const options = optionsOf(declaration);
  const values = options
    .filter(({ value }) => value !== undefined)
    .map((option) => `        ${spellings(option).join("|")}) ${bashValues(option)}return ;;\n`);
  const chooseValue = values.length === 0 ? "" : `      case $prev in\n${values.join("")}      esac\n`;
  const flags = options.map(({ name }) => `--${name}`).join(" ");
  return `    ${declaration.name})
${declaration.positionals.completes === "command" ? WRAPPED_COMMAND : ""}${chooseValue}      if [[ $cur == -* ]]; then words=${quoted(flags)}; ${bashSecond(declaration)}else words=${bashPositionals(declaration)}; fi
      ;;
`;
}

function bashValues(option: Option): string {
  const words = valuesOf(option);
  const generated = [
    ...(words.length === 0 ? [] : [`compgen -W ${quoted(words.join(" "))} -- "$cur"`]),
    ...(option.completes === undefined ? [] : [BASH_GENERATORS[option.completes]]),
  ];
  if (generated.length === 0) return "";
  const after = option.completes === "file" || option.completes === "directory" ? FILE_NAMES : NO_SPACE;
  return `COMPREPLY=($(${generated.join("; ")})); ${after}`;
}

const BASH_GENERATORS = {
  file: 'compgen -f -- "$cur"',
  directory: 'compgen -d -- "$cur"',
  client: `compgen -W "$("\${COMP_WORDS[0]}" completions --clients="\${COMP_WORDS[*]:2}" 2>/dev/null | cut -f1)" -- "$cur"`,
};

/**
 * Completes the arguments of the wrapped command with that command's own completion, if
 * bash-completion is installed.
 */
const WRAPPED_COMMAND = `      for (( at = 2; at < COMP_CWORD; at++ )); do
        [[ \${COMP_WORDS[at]} == -- ]] || continue
        if declare -F _command_offset >/dev/null; then _command_offset $(( at + 1 ))
        elif (( at + 1 == COMP_CWORD )); then COMPREPLY=($(compgen -c -- "$cur"))
        else COMPREPLY=($(compgen -f -- "$cur")); fi
        return
      done
`;

/** No space after a word that ends in "=". */
const NO_SPACE = `[[ \${COMPREPLY-} != *= ]] || compopt -o nospace 2>/dev/null; `;

/** No space after a directory; quotes names that need it. */
const FILE_NAMES = "compopt -o filenames 2>/dev/null; ";

function bashSecond({ positionals: { second } }: Declaration): string {
  return second === undefined ? "" : `elif (( COMP_CWORD > 2 )); then words=${quoted(second.join(" "))}; `;
}

function bashPositionals(declaration: Declaration): string {
  const { completes, choices, offers } = declaration.positionals;
  const sessions = sessionsFor(declaration);
  if (sessions !== null) return `$("\${COMP_WORDS[0]}" completions ${sessions} 2>/dev/null | cut -f1)`;
  if (completes === "topic") return quoted(HELP_NAMES.join(" "));
  if (completes === "command") return "--";
  const words = choices ?? offers;
  return words === undefined ? "''" : quoted(words.join(" "));
}
