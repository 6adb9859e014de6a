import type { Schemas } from "learning-platform-client";
import { formatDay } from "../format.ts";
import { screenHref } from "../routes.ts";
import { t } from "../texts.ts";

type VersionsProps = { name: string; versions: Schemas["PromptVersionPage"]["versions"] };

/** Versions of a prompt with links to their text, playground and trials. */
export const PromptVersionsList = ({ name, versions }: VersionsProps) => (
  <section class="card" aria-labelledby="versions">
    <h2 id="versions">{t("versions")}</h2>
    <ul class="lines">
      {versions.map(({ version, labels, commit_message, creator, created_at }) => (
        <li key={version}>
          <a href={screenHref("prompts", name, "versions", version)}>{t("version.number", { version })}</a>
          <span class="row">
            {labels.map((label) => (
              <span key={label} class="badge">
                {label}
              </span>
            ))}
          </span>
          <small>
            {[formatDay(created_at), creator?.full_name, commit_message].filter(Boolean).join(" · ")}
          </small>
        </li>
      ))}
    </ul>
  </section>
);
