import type { Schemas } from "learning-platform-client";
import { Facts } from "../components/facts.tsx";
import { dayAndTime } from "../format.ts";
import { t } from "../texts.ts";
import { type VersionProps, VersionScreen } from "./version-screen.tsx";

/** What a version says, with what its references lead to, and what calls are made with. */
export const TextOfVersionScreen = (version: VersionProps) => (
  <VersionScreen {...version} part="">
    {(found) => (
      <>
        <About version={found} />
        <section class="card" aria-labelledby="text">
          <h2 id="text">{t("version.text")}</h2>
          <pre class="diff" tabIndex={0}>
            {found.resolved_prompt}
          </pre>
          {found.resolved_prompt !== found.prompt && <p class="quiet">{t("version.inlined")}</p>}
        </section>
      </>
    )}
  </VersionScreen>
);

function About({ version }: { version: Schemas["ResolvedPrompt"] }) {
  const { labels, commit_message, created_at, config } = version;
  const settings = Object.entries(config).map(([key, value]) => `${key}: ${JSON.stringify(value)}`);
  return (
    <section class="card" aria-label={t("version.about")}>
      <p class="row">
        {labels.map((label) => (
          <span key={label} class="badge">
            {label}
          </span>
        ))}
        <small class="quiet">{dayAndTime(created_at)}</small>
      </p>
      {commit_message && <p>{commit_message}</p>}
      <Facts of={[[t("version.config"), settings.join(", ") || t("version.config.none")]]} />
    </section>
  );
}
