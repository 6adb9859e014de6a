import { Empty } from "../components/empty.tsx";
import { t } from "../texts.ts";
import { type Link, type ResourceData, webAddress } from "./shapes.ts";

export function ResourceView({ data: { resources = [] } }: { data: ResourceData }) {
  return resources.length === 0 ? <Empty>{t("content.empty")}</Empty> : <LinkList links={resources} />;
}

export function LinkList({ links }: { links: Link[] }) {
  return (
    <ul class="lines">
      {links.map(({ label, url, kind }) => {
        const address = webAddress(url);
        return (
          <li key={`${url} ${label}`}>
            {address ? (
              <a href={address} target="_blank" rel="noopener noreferrer">
                {label ?? address}
              </a>
            ) : (
              <span>{label}</span>
            )}
            {kind && <small>{kind}</small>}
          </li>
        );
      })}
    </ul>
  );
}
