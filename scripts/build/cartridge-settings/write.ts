import { settingRuleTables } from "../../../lib/integrations/cartridges/canvas-settings.ts";
import type { SettingRule } from "../../../lib/integrations/cartridges/settings.ts";

/** What an import makes of each setting, from the importer's own rules. */
export const writeCartridgeSettings = (): string =>
  `${[
    "# Settings of imported quizzes and assignments",
    "After this page you know what an import of a Common Cartridge makes of each setting.",
    "`npm run generate settings` writes this page from the importer's rules. An empty setting is skipped. A setting that " +
      "is not in a table is reported: the part is `PARTLY`, and `left_out` has its name and value.",
    ...settingRuleTables.map(
      ({ title, rules }) =>
        `## ${title}\n\n| Setting | Becomes |\n| --- | --- |\n${Object.entries(rules)
          .map(([name, rule]) => `| \`${name}\` | ${becomes(rule)} |`)
          .join("\n")}`,
    ),
  ].join("\n\n")}\n`;

function becomes({ becomes: words, same, take }: SettingRule): string {
  if (!same || same.source === "^") return words;
  const values = same.source.replace(/^\^\(?|\)?\$$/g, "").replaceAll("|", ", ");
  return take ? `${words}; nothing for \`${values}\`` : `${words} unless \`${values}\``;
}
