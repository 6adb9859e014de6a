import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { readFilesField } from "../components/chosen-files.ts";
import { Field } from "../components/field.tsx";
import { Form } from "../components/form.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { usePolling } from "../components/polling.ts";
import { ProgressBar } from "../components/progress.tsx";
import { TranslatedRejectionReason } from "../components/rejection-reason.tsx";
import { SampleFileDownloads } from "../components/sample-files.tsx";
import { saveAs } from "../components/save-as.ts";
import { useImportFileUploader } from "../files/import-upload.tsx";
import { useQuery } from "../query.tsx";
import { screenHref } from "../routes.ts";
import { cartridgeSamples } from "../samples/cartridge.ts";
import { apiClient } from "../service.ts";
import { type TextKey, t } from "../texts.ts";
import { CartridgeImportResultsTable } from "./cartridge-parts.tsx";
import { CourseAuthoringLayout } from "./course-layout.tsx";

type Job = Schemas["CartridgeImport"];
type Course = Schemas["Course"];
type CartridgeVersion = "1.3" | "1.4";

const versions: [CartridgeVersion, string][] = [
  ["1.3", "1.3"],
  ["1.4", "1.4"],
];

/** Imports and exports Common Cartridge files. An import starts with a dry run. */
export const CartridgeImportExportScreen = ({ course }: { course: string }) => (
  <CourseAuthoringLayout course={course} part="cartridges">
    {(found) => <Cartridges course={found} />}
  </CourseAuthoringLayout>
);

function Cartridges({ course }: { course: Course }) {
  const [job, setJob] = useState<Job>();
  const [file, setFile] = useState<number>();
  const [version, setVersion] = useState<CartridgeVersion>("1.3");
  const start = async (file_id: number, dry_run: boolean) =>
    setJob(
      await dataOf(apiClient.startCartridgeImport({ body: { course_id: course.id, file_id, dry_run } })),
    );
  const send = async (file_id: number) => {
    setFile(file_id);
    await start(file_id, true);
  };
  return (
    <>
      <section class="card" aria-labelledby="import">
        <h2 id="import">{t("cartridge.import")}</h2>
        <p class="quiet">{t("cartridge.import.about")}</p>
        <SampleFileDownloads samples={cartridgeSamples} />
        <UploadForm course={course.id} send={send} />
      </section>
      {job && (
        <Watched
          key={job.id}
          job={job}
          onImport={file === undefined ? undefined : () => start(file, false)}
        />
      )}
      <section class="card" aria-labelledby="export">
        <h2 id="export">{t("cartridge.export")}</h2>
        <p class="quiet">{t("cartridge.export.about")}</p>
        <p class="row">
          <LabeledSelect
            label={t("cartridge.export.version")}
            value={version}
            options={versions}
            onChoose={setVersion}
          />
          <ActionButton run={() => download(course, version)}>{t("cartridge.export.do")}</ActionButton>
        </p>
      </section>
    </>
  );
}

async function download({ id, code }: Course, version: CartridgeVersion): Promise<void> {
  const params = { path: { course_id: id }, query: { version } };
  const blob = await dataOf<unknown>(apiClient.exportCourseAsCartridge({ params, parseAs: "blob" }));
  saveAs(`${code}.imscc`, blob as Blob);
}

function UploadForm({ course, send }: { course: number; send: (file: number) => Promise<void> }) {
  const upload = useImportFileUploader({ course_id: course }, { always: true });
  const submit = async (fields: FormData) => {
    const id = await upload.sent(readFilesField(fields, "file")[0]);
    if (id !== undefined) await send(id);
  };
  return (
    <Form send={submit} submit={t("cartridge.try")}>
      <Field name="file" label={t("cartridge.file")}>
        <input type="file" accept=".imscc,.zip" required />
      </Field>
      {upload.bar}
    </Form>
  );
}

function Watched({ job, onImport }: { job: Job; onImport: (() => Promise<void>) | undefined }) {
  const path = { cartridge_import_id: job.id };
  const read = useQuery(
    (signal) => dataOf(apiClient.getCartridgeImport({ params: { path }, signal })),
    [job.id],
  );
  const current = read.value ?? job;
  const isRunning = current.ended_at === null;
  usePolling(read, isRunning);
  return (
    <section class="card" aria-labelledby="job">
      <h2 id="job">{t(current.dry_run ? "cartridge.trial" : "cartridge.run")}</h2>
      <ProgressBar
        percent={isRunning ? (current.total > 0 ? (100 * current.done) / current.total : 0) : 100}
        label={t("cartridge.progress")}
      />
      <p role="status">
        {isRunning ? t("cartridge.running", { done: current.done, total: current.total }) : countsOf(current)}
      </p>
      {current.failure && (
        <p class="fault">
          <TranslatedRejectionReason code={current.code} said={current.failure} />
        </p>
      )}
      {!isRunning && <Parts job={current} />}
      {!isRunning &&
        current.dry_run &&
        !current.failure &&
        onImport &&
        current.created + current.partly > 0 && (
          <ActionButton run={onImport}>{t("cartridge.import.do")}</ActionButton>
        )}
      {!isRunning && !current.dry_run && !current.failure && (
        <a href={screenHref("authoring", current.course_id)}>{t("cartridge.look")}</a>
      )}
    </section>
  );
}

const countsOf = ({ total, created, partly, refused, ignored }: Job): string =>
  t("cartridge.counts" satisfies TextKey, { total, created, partly, refused, ignored });

function Parts({ job }: { job: Job }) {
  const path = { cartridge_import_id: job.id };
  const parts = usePagedQuery(
    (query, signal) => dataOf(apiClient.listCartridgeParts({ params: { path, query }, signal })),
    [job.id],
  );
  return <CartridgeImportResultsTable parts={parts} />;
}
