/** Generates the fish completion script. */
import { COMMANDS } from "../declarations/commands.ts";
import { type Declaration, optionsOf } from "../declarations/declaration.ts";
import { HELP_NAMES, sessionsFor, valuesOf } from "./shell-words.ts";

export function fishScript(): string {
  const lines = COMMANDS.flatMap(
    ({ name, summary }) => `complete -c holt -n __holt_first -a ${name} -d ${fishQuoted(summary)}`,
  );
  return `# fish completion for holt: holt completions fish > ~/.config/fish/completions/holt.fish
function __holt_first
  test (count (commandline -opc)) -eq 1
end
function __holt_second
  test (count (commandline -opc)) -eq 2
end
function __holt_in
  set -l words (commandline -opc)
  test (count $words) -ge 2; and test $words[2] = $argv[1]
end
complete -c holt -f
${[...lines, ...COMMANDS.flatMap(fishCommand)].join("\n")}
`;
}

function fishCommand(declaration: Declaration): string[] {
  const within = `complete -c holt -n '__holt_in ${declaration.name}'`;
  const options = optionsOf(declaration).map((option) => {
    const { short, name, value, summary } = option;
    const offered = valuesOf(option).join(" ");
    const letter = short === undefined ? "" : ` -s ${short}`;
    const generated = option.completes === undefined ? "" : FISH_GENERATORS[option.completes];
    const words = [offered, generated].filter(Boolean).join(" ");
    const argument = value === undefined ? "" : ` -x${words === "" ? "" : ` -a ${fishQuoted(words)}`}`;
    return `${within}${letter} -l ${name}${argument} -d ${fishQuoted(summary)}`;
  });
  const { completes, choices, offers, second } = declaration.positionals;
  const sessions = sessionsFor(declaration);
  if (sessions !== null && second !== undefined) {
    const when = (test: string): string => `complete -c holt -n '__holt_in ${declaration.name}; and ${test}'`;
    const afterFirst = second.length === 0 ? [] : [`${when("not __holt_second")} -a ${fishQuoted(second.join(" "))}`];
    return [...options, `${when("__holt_second")} -k -a '(holt completions ${sessions})'`, ...afterFirst];
  }
  if (sessions !== null) return [...options, `${within} -k -a '(holt completions ${sessions})'`];
  if (completes === "command") return [...options, `${within} -a '(__fish_complete_subcommand --fcs-skip=2)'`];
  const words = completes === "topic" ? HELP_NAMES : (choices ?? offers ?? []);
  return words.length === 0 ? options : [...options, `${within} -a ${fishQuoted(words.join(" "))}`];
}

const FISH_GENERATORS = {
  file: "(__fish_complete_path)",
  directory: "(__fish_complete_directories)",
  client: '(holt completions --clients=(string join " " -- (commandline -opc)))',
};

/** Unlike bash and zsh, fish interprets backslashes inside single quotes. */
function fishQuoted(text: string): string {
  return `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;
}
