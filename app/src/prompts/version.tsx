import { dataOf, type Schemas } from "learning-platform-client";
import { FactList } from "../components/facts.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { PromptImpactFacts } from "./impact.tsx";
import { PromptVersionLayout, type PromptVersionRouteProps } from "./version-layout.tsx";

/** A version's text, its resolved references and its config. */
export const PromptVersionTextScreen = (version: PromptVersionRouteProps) => (
  <PromptVersionLayout {...version} part="">
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
        {!found.labels.includes(taught) && <Move version={found} />}
      </>
    )}
  </PromptVersionLayout>
);

/** The label of the version in use. */
const taught = "production";

/** The effect of moving that label here. */
function Move({ version: { name, version } }: { version: Schemas["ResolvedPrompt"] }) {
  const params = { path: { prompt_name: name }, query: { label: taught, version } };
  const impact = useQuery((signal) => dataOf(apiClient.getPromptImpact({ params, signal })), [name, version]);
  return (
    <section class="card" aria-labelledby="move">
      <h2 id="move">{t("version.move", { label: taught })}</h2>
      <p class="quiet">{t("version.first")}</p>
      <QueryBoundary of={impact}>{(found) => <PromptImpactFacts impact={found} />}</QueryBoundary>
    </section>
  );
}

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
        <small class="quiet">{formatDayAndTime(created_at)}</small>
      </p>
      {commit_message && <p>{commit_message}</p>}
      <FactList of={[[t("version.config"), settings.join(", ") || t("version.config.none")]]} />
    </section>
  );
}
