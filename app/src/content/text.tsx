import { dataOf } from "learning-platform-client";
import { Empty } from "../components/empty.tsx";
import { Formula, Prose } from "../markup/prose.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { LinkList } from "./resource.tsx";
import { type Block, type TextData, webAddress } from "./shapes.ts";

export function TextView({ data: { blocks = [] } }: { data: TextData }) {
  if (blocks.length === 0) return <Empty>{t("content.empty")}</Empty>;
  return (
    <div class="reading">
      {blocks.map((block, at) => (
        // Blocks have no names, and never change their order here.
        <BlockView key={at} block={block} />
      ))}
    </div>
  );
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "math":
      return block.latex ? <Formula latex={block.latex} /> : null;
    case "image":
      return <Picture block={block} />;
    case "link_list":
      return <LinkList links={block.items ?? []} />;
    default:
      return <Prose source={block.text ?? ""} byStaff />;
  }
}

/** A picture is an asset of the university; its caption says what is on it. */
function Picture({ block: { asset_id, caption = "" } }: { block: Block }) {
  const asset = useQuery(
    async (signal) =>
      asset_id === undefined ? undefined : dataOf(api.getAsset({ params: { path: { asset_id } }, signal })),
    [asset_id],
  );
  return (
    <figure>
      <QueryBoundary of={asset}>
        {(found) => <img src={webAddress(found?.url)} alt={caption} loading="lazy" />}
      </QueryBoundary>
      {caption && <figcaption>{caption}</figcaption>}
    </figure>
  );
}
