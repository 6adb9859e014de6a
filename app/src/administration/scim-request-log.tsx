import { dataOf, type Schemas } from "learning-platform-client";
import { useState } from "preact/hooks";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { usePagedQuery } from "../components/paged.tsx";
import { PagedLineList } from "../components/paged-line-list.tsx";
import { formatDayAndTime } from "../format.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

type Request = Schemas["DirectoryRequest"];

/** Recent SCIM requests of a university's directory, with the reasons for rejections. */
export function ScimRequestLog({ university }: { university: number }) {
  const [refused, setRefused] = useState<"" | "true">("");
  const filter = refused ? { is_refused: true } : {};
  const requests = usePagedQuery(
    (part, signal) =>
      dataOf(
        apiClient.listDirectoryRequests({
          params: { path: { university_id: university }, query: { ...part, ...filter } },
          signal,
        }),
      ),
    [university, refused],
  );
  return (
    <>
      <p class="quiet">{t("directory.requests.about")}</p>
      <div class="filters">
        <LabeledSelect
          label={t("directory.requests.show")}
          value={refused}
          options={[
            ["", t("directory.requests.all")],
            ["true", t("directory.requests.refused")],
          ]}
          onChoose={setRefused}
        />
      </div>
      <PagedLineList of={requests} empty={t("directory.requests.empty")} class="stack">
        {(one) => <RequestLine request={one} />}
      </PagedLineList>
    </>
  );
}

function RequestLine({ request }: { request: Request }) {
  const { asked_at, method, path, status, user_name, scim_type, detail, api_key, request_id } = request;
  return (
    <li>
      <p>
        {formatDayAndTime(asked_at)} · <code>{`${method} ${path}`}</code> · {status}
        {user_name && ` · ${user_name}`}
      </p>
      {/* In English, for the directory's operators. */}
      {detail && (
        <p class="quiet" lang="en">
          {detail} {scim_type && `(${scim_type})`}
        </p>
      )}
      <small>{t("directory.requests.by", { key: api_key.name, id: request_id })}</small>
    </li>
  );
}
