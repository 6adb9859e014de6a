import { dataOf, ifMatch, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { ScreenHeading } from "../components/heading.tsx";
import { formatDayAndTime } from "../format.ts";
import { LineDiffView } from "../prompts/diff-lines.tsx";
import { PromptImpactFacts } from "../prompts/impact.tsx";
import { ConfirmMoveProductionDialog } from "../prompts/move-production.tsx";
import { PromptVersionsList } from "../prompts/versions.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { apiClient } from "../service.ts";
import { isPlatformAdmin, useCurrentUser } from "../session.tsx";
import { t } from "../texts.ts";

type Version = Schemas["PromptVersionPage"]["versions"][number];

/** A prompt: versions, diffs, label history and the impact of moving a label. */
export function PromptScreen({ name }: { name: string }) {
  const path = { prompt_name: name };
  const versions = useQuery(
    (signal) => dataOf(apiClient.listPromptVersions({ params: { path, query: { page_size: 100 } }, signal })),
    [name],
  );
  return (
    <>
      <a class="back" href={screenHref("prompts")}>
        ← {t("prompts")}
      </a>
      <ScreenHeading title={name}>
        <a class="button" href={screenHref("prompts", name, "rollouts")}>
          {t("rollouts")}
        </a>
      </ScreenHeading>
      <QueryBoundary of={versions}>
        {({ versions: found }) => (
          <div class="prompt">
            <PromptVersionsList name={name} versions={found} />
            <Difference name={name} versions={found} />
            <Labels name={name} versions={found} onMoved={versions.again} />
            <History name={name} key={found.map(({ labels }) => labels.join()).join()} />
          </div>
        )}
      </QueryBoundary>
    </>
  );
}

type VersionChoiceProps = {
  label: string;
  versions: Version[];
  value: number;
  onChoose: (version: number) => void;
};

function VersionChoice({ label, versions, value, onChoose }: VersionChoiceProps) {
  return (
    <label>
      {label}
      <select value={value} onChange={(event) => onChoose(Number(event.currentTarget.value))}>
        {versions.map(({ version, labels, commit_message }) => (
          <option key={version} value={version}>
            {[`v${version}`, labels.join(", "), commit_message].filter(Boolean).join(" · ")}
          </option>
        ))}
      </select>
    </label>
  );
}

function Difference({ name, versions }: { name: string; versions: Version[] }) {
  const newest = versions[0]?.version ?? 1;
  const [before, setBefore] = useState(versions[1]?.version ?? newest);
  const [after, setAfter] = useState(newest);
  const read = (version: number, signal: AbortSignal) =>
    dataOf(apiClient.getPrompt({ params: { path: { prompt_name: name }, query: { version } }, signal }));
  const texts = useQuery(
    (signal) => Promise.all([read(before, signal), read(after, signal)]),
    [name, before, after],
  );
  return (
    <section class="card" aria-labelledby="difference">
      <h2 id="difference">{t("prompt.difference")}</h2>
      <div class="filters">
        <VersionChoice label={t("prompt.from")} versions={versions} value={before} onChoose={setBefore} />
        <VersionChoice label={t("prompt.to")} versions={versions} value={after} onChoose={setAfter} />
      </div>
      <QueryBoundary of={texts}>
        {([one, other]) => <LineDiffView before={one.prompt} after={other.prompt} />}
      </QueryBoundary>
    </section>
  );
}

type LabelsProps = { name: string; versions: Version[]; onMoved: () => void };

/** Moves a label to a version, after showing the impact. */
function Labels({ name, versions, onMoved }: LabelsProps) {
  const [label, setLabel] = useState("production");
  const [version, setVersion] = useState(versions[0]?.version ?? 1);
  const [isAsking, setAsking] = useState(false);
  const isProduction = label === "production";
  const isAdministrator = isPlatformAdmin(useCurrentUser());
  // The service protects this label.
  const mayMove = !isProduction || isAdministrator;
  const path = { prompt_name: name };
  const isLabel = /^[a-z0-9_.-]{1,36}$/.test(label) && label !== "latest";
  const impact = useQuery(
    async (signal) =>
      isLabel
        ? dataOf(apiClient.getPromptImpact({ params: { path, query: { label, version } }, signal }))
        : undefined,
    [name, label, version],
  );
  const move = async () => {
    const held = versions.find((one) => one.version === version)?.labels ?? [];
    const labels = [...new Set([...held.filter((one) => one !== "latest"), label])];
    const params = { path: { ...path, version }, header: ifMatch(versions[0]?.name_version ?? 1) };
    // Reloads even on failure: another person may have moved it first.
    await dataOf(apiClient.updatePromptVersionLabels({ params, body: { labels } })).finally(onMoved);
  };
  return (
    <section class="card" aria-labelledby="labels">
      <h2 id="labels">{t("prompt.labels")}</h2>
      <div class="filters">
        <label>
          {t("prompt.label")}
          <input
            value={label}
            onInput={(event) => setLabel(event.currentTarget.value)}
            aria-invalid={!isLabel}
          />
        </label>
        <VersionChoice
          label={t("prompt.version")}
          versions={versions}
          value={version}
          onChoose={setVersion}
        />
        {isProduction && mayMove && (
          <ButtonWithFocusFallback class="primary" onClick={() => setAsking(true)} disabled={!impact.value}>
            {t("prompt.move")}
          </ButtonWithFocusFallback>
        )}
        {!isProduction && (
          <ActionButton class="primary" run={move} disabled={!isLabel}>
            {t("prompt.move")}
          </ActionButton>
        )}
      </div>
      {!mayMove && <p class="quiet">{t("prompt.production.refused")}</p>}
      {isAsking && impact.value && (
        <ConfirmMoveProductionDialog
          {...{ name, version, move }}
          impact={impact.value}
          onClose={() => setAsking(false)}
        />
      )}
      <QueryBoundary of={impact}>
        {(found) => (found ? <PromptImpactFacts impact={found} /> : t("prompt.no.label"))}
      </QueryBoundary>
    </section>
  );
}

function History({ name }: { name: string }) {
  const path = { prompt_name: name };
  const history = useQuery(
    (signal) => dataOf(apiClient.listPromptLabelHistory({ params: { path, query: { limit: 100 } }, signal })),
    [name],
  );
  return (
    <section class="card" aria-labelledby="history">
      <h2 id="history">{t("prompt.history")}</h2>
      <QueryBoundary of={history}>
        {(found) =>
          found.length === 0 ? (
            <EmptyMessage>{t("prompt.history.empty")}</EmptyMessage>
          ) : (
            <ul class="lines">
              {found.map((one) => (
                <li key={one.id}>
                  <span class="badge">{one.label}</span>
                  <span>
                    {one.from_version === null ? "–" : `v${one.from_version}`} →{" "}
                    {one.to_version === null ? "–" : `v${one.to_version}`}
                  </span>
                  <small>
                    {formatDayAndTime(one.changed_at)} {one.changed_by?.full_name}
                  </small>
                </li>
              ))}
            </ul>
          )
        }
      </QueryBoundary>
    </section>
  );
}
