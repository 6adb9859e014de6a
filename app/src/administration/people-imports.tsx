import { dataOf, type Schemas } from "learning-platform-client";
import { useEffect, useState } from "preact/hooks";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { EmptyMessage } from "../components/empty.tsx";
import { LazyDisclosure } from "../components/lazy-disclosure.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { usePolling } from "../components/polling.ts";
import { ProgressBar } from "../components/progress.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { formatDayAndTime } from "../format.ts";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { currentLanguage, t } from "../texts.ts";
import { ManageOneRosterSources } from "./one-roster-sources.tsx";
import { StartPeopleImportForm } from "./start-people-import.tsx";
import { UniversityAdministrationLayout } from "./university-layout.tsx";

type Job = Schemas["ImportJob"];

/** Bulk imports of people, roles and enrollments: dry run first, then a result per row. */
export function PeopleImportsScreen({ university }: { university: string }) {
  const [started, setStarted] = useState<Job>();
  const path = { university_id: Number(university) };
  const jobs = usePagedQuery(
    (query, signal) => dataOf(apiClient.listImports({ params: { path, query }, signal })),
    [university],
  );
  const show = async (import_id: number) =>
    setStarted(await dataOf(apiClient.getImport({ params: { path: { ...path, import_id } } })));
  return (
    <UniversityAdministrationLayout university={university} part="imports" title={t("imports")}>
      <StartPeopleImportForm university={Number(university)} onStarted={setStarted} />
      <LazyDisclosure label={t("one.roster")}>
        {() => <ManageOneRosterSources university={path.university_id} onShow={show} />}
      </LazyDisclosure>
      {started && <Watched key={started.id} job={started} onEnded={jobs.query.again} />}
      <section aria-labelledby="former">
        <h2 id="former">{t("imports.former")}</h2>
        <PagedLineList of={jobs} empty={t("imports.empty")}>
          {(job) => (
            <li>
              <span>
                {formatDayAndTime(job.created_at)}{" "}
                {job.dry_run && <span class="badge">{t("imports.dry")}</span>}
              </span>
              <small>{countsOf(job)}</small>
              <ButtonWithFocusFallback class="quiet" onClick={() => setStarted(job)}>
                {t("imports.show")}
              </ButtonWithFocusFallback>
            </li>
          )}
        </PagedLineList>
      </section>
    </UniversityAdministrationLayout>
  );
}

const countsOf = ({ total, created, updated, unchanged, offered, refused }: Job): string =>
  t("imports.counts", { total, created, updated, unchanged, offered, refused });

function Watched({ job, onEnded }: { job: Job; onEnded: () => void }) {
  const path = { university_id: job.university_id, import_id: job.id };
  const read = useQuery((signal) => dataOf(apiClient.getImport({ params: { path }, signal })), [job.id]);
  const current = read.value ?? job;
  const isRunning = current.ended_at === null;
  usePolling(read, isRunning);
  useEffect(() => {
    if (!isRunning) onEnded();
  }, [isRunning]);
  return (
    <section class="card" aria-labelledby="job">
      <h2 id="job">{t(current.dry_run ? "imports.trial" : "imports.run")}</h2>
      <ProgressBar
        percent={current.total > 0 ? (100 * current.done) / current.total : 100}
        label={t("imports.progress")}
      />
      <p role="status">
        {isRunning ? t("imports.running", { done: current.done, total: current.total }) : countsOf(current)}
      </p>
      {!isRunning && <Results job={current} />}
      <Reading job={current} />
    </section>
  );
}

/** How the files were decoded, and what the import does not use. */
function Reading({ job: { read_as, ignored } }: { job: Job }) {
  const files = new Intl.ListFormat(currentLanguage()).format(
    read_as.map((one) => t("imports.read.as.file", one)),
  );
  return (
    <>
      {files !== "" && <p class="quiet">{t("imports.read.as", { files })}</p>}
      {ignored.length > 0 && (
        <section aria-labelledby="ignored">
          <h3 id="ignored">{t("imports.ignored")}</h3>
          <ul>
            {ignored.map(({ file, column, rows }) => (
              <li key={`${file} ${column}`}>
                {column === null ? file : t("imports.ignored.column", { file, column, rows: rows ?? 0 })}
              </li>
            ))}
          </ul>
        </section>
      )}
    </>
  );
}

function Results({ job }: { job: Job }) {
  const params = {
    path: { university_id: job.university_id, import_id: job.id },
    query: { outcome: "REFUSED", limit: 100 } as const,
  };
  const results = useQuery(
    async (signal) =>
      (await dataOf(apiClient.listImportResults({ params, signal }))) as Schemas["ImportResult"][],
    [job.id],
  );
  return (
    <QueryBoundary of={results}>
      {(rows) =>
        rows.length === 0 ? (
          <EmptyMessage>{t(job.dry_run ? "imports.all.good" : "imports.all.done")}</EmptyMessage>
        ) : (
          <ul class="lines">
            {rows.map((row) => (
              <li key={`${row.file} ${row.line}`}>
                <span>{t("imports.row", { file: row.file, line: row.line })}</span>
                <span>{row.email ?? row.sourced_id}</span>
                <span class="fault">
                  <TranslatedRejectionReason code={row.code} said={row.reason ?? ""} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </QueryBoundary>
  );
}
