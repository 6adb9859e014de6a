import type { Schemas } from "learning-platform-client";
import { LinkList } from "../content/resource.tsx";
import { FileList } from "../files/uploaded-file.tsx";
import { ProseWithFormulas } from "../markup/prose.tsx";
import { t } from "../texts.ts";

export function SubmittedWork({ submission }: { submission: Schemas["Submission"] }) {
  const { body, links, artifacts_url, data_json, files, code, user_id } = submission;
  const addresses = [
    ...links.map((url) => ({ url })),
    ...(artifacts_url ? [{ url: artifacts_url, kind: t("work.artifacts") }] : []),
  ];
  return (
    <>
      {code && user_id !== null && <p class="quiet">{t("work.code", { code })}</p>}
      {body && <ProseWithFormulas source={body} lang="" inLines />}
      <FileList files={files} label={t("work.files")} />
      {addresses.length > 0 && <LinkList links={addresses} />}
      {data_json && <pre class="data">{JSON.stringify(data_json, null, 2)}</pre>}
    </>
  );
}
