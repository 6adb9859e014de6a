import type { Schemas } from "learning-platform-client";
import { ContentLinkList } from "../content/resource.tsx";
import { UploadedFileList } from "../files/uploaded-file.tsx";
import { MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { t } from "../texts.ts";

export function SubmittedWorkView({ submission }: { submission: Schemas["Submission"] }) {
  const { body, links, artifacts_url, data_json, files, code, user_id } = submission;
  const addresses = [
    ...links.map((url) => ({ url })),
    ...(artifacts_url ? [{ url: artifacts_url, kind: t("work.artifacts") }] : []),
  ];
  return (
    <>
      {code && user_id !== null && <p class="quiet">{t("work.code", { code })}</p>}
      {body && <MarkdownWithFormulas source={body} lang="" inLines />}
      <UploadedFileList files={files} label={t("work.files")} />
      {addresses.length > 0 && <ContentLinkList links={addresses} />}
      {data_json && <pre class="data">{JSON.stringify(data_json, null, 2)}</pre>}
    </>
  );
}
