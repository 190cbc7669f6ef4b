import { type SettingName, settingOf, type SettingValue } from "../protocol/settings.ts";

/** As this command line has it, else this environment, else the default. */
export function chosen<N extends SettingName>(name: N, given: SettingValue<N> | null): SettingValue<N> {
  return settingOf(name, given, process.env);
}
