/** Resolves a setting that an option, a variable or the configuration may set. */
import { type SettingName, settingOf, type SettingValue } from "../../protocol/types/settings.ts";

/** The first that is set: the option, the environment variable, the configuration, the default. */
export function effectiveSetting<N extends SettingName>(
  name: N,
  given: SettingValue<N> | null,
  configured?: SettingValue<N>,
): SettingValue<N> {
  return settingOf(name, given, process.env, configured);
}
