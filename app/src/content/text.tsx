import { dataOf } from "learning-platform-client";
import { Empty } from "../components/empty.tsx";
import { OwnPicture } from "../files/own-file.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { Formula, Prose } from "../markup/prose.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { CitedHighlight, usePlace } from "./place.tsx";
import { LinkList } from "./resource.tsx";
import { type Block, type TextData, webAddress } from "./shapes.ts";

export function TextView({ data: { blocks = [] } }: { data: TextData }) {
  return blocks.length === 0 ? <Empty>{t("content.empty")}</Empty> : <Blocks blocks={blocks} />;
}

export function Blocks({ blocks }: { blocks: Block[] }) {
  const cited = usePlace().block;
  return (
    <div class="reading">
      {blocks.map((block, at) =>
        // Blocks have no ids and a fixed order.
        at + 1 === cited ? (
          <CitedHighlight key={at}>
            <BlockView block={block} />
          </CitedHighlight>
        ) : (
          <BlockView key={at} block={block} />
        ),
      )}
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

/** A picture from a file or a university asset. The caption is its alt text. */
function Picture({ block: { file_id, asset_id, caption = "" } }: { block: Block }) {
  const language = useContentLanguage();
  return (
    <figure>
      {file_id ? <OwnPicture id={file_id} alt={caption} /> : <AssetPicture id={asset_id} alt={caption} />}
      {caption && <figcaption lang={language}>{caption}</figcaption>}
    </figure>
  );
}

/** An asset is an uploaded file or an external URL. */
function AssetPicture({ id: asset_id, alt }: { id: number | undefined; alt: string }) {
  const language = useContentLanguage();
  const asset = useQuery(
    async (signal) =>
      asset_id === undefined ? undefined : dataOf(api.getAsset({ params: { path: { asset_id } }, signal })),
    [asset_id],
  );
  return (
    <QueryBoundary of={asset}>
      {(found) =>
        found?.file_id ? (
          <OwnPicture id={found.file_id} alt={alt} />
        ) : (
          <img src={webAddress(found?.url)} alt={alt} lang={language} loading="lazy" />
        )
      }
    </QueryBoundary>
  );
}
