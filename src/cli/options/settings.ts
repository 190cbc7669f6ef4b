import { type SettingName, settingOf, type SettingValue } from "../../protocol/types/settings.ts";

/** As this command line has it, else this environment, else what is configured, else the default. */
export function chosen<N extends SettingName>(
  name: N,
  given: SettingValue<N> | null,
  configured?: SettingValue<N>,
): SettingValue<N> {
  return settingOf(name, given, process.env, configured);
}
