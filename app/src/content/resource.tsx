import { EmptyMessage } from "../components/empty.tsx";
import { UploadedFileView } from "../files/uploaded-file.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { t } from "../texts.ts";
import { type ContentLink, type ResourceData, safeWebUrl } from "./content-data.ts";

export function ResourceView({ data: { resources = [] } }: { data: ResourceData }) {
  return resources.length === 0 ? (
    <EmptyMessage>{t("content.empty")}</EmptyMessage>
  ) : (
    <ContentLinkList links={resources} />
  );
}

export function ContentLinkList({ links }: { links: ContentLink[] }) {
  const language = useContentLanguage();
  return (
    <ul class="lines">
      {links.map(({ label, url, kind, file_id }) => {
        const address = safeWebUrl(url);
        return (
          <li key={`${file_id ?? url} ${label}`}>
            {file_id ? (
              <UploadedFileView id={file_id} name={label} />
            ) : address ? (
              <a
                href={address}
                lang={label === undefined ? undefined : language}
                target="_blank"
                rel="noopener noreferrer"
              >
                {label ?? address}
              </a>
            ) : (
              <span lang={language}>{label}</span>
            )}
            {kind && <small>{kind}</small>}
          </li>
        );
      })}
    </ul>
  );
}
