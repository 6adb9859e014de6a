import { dataOf } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { UploadedPictureView } from "../files/uploaded-file.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { Formula, Prose } from "../markup/prose.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { CitedHighlight, useCitedLocation } from "./cited-location.tsx";
import { LinkList } from "./resource.tsx";
import { type Block, safeWebUrl, type TextData } from "./content-data.ts";

export function TextView({ data: { blocks = [] } }: { data: TextData }) {
  return blocks.length === 0 ? <EmptyMessage>{t("content.empty")}</EmptyMessage> : <Blocks blocks={blocks} />;
}

export function Blocks({ blocks }: { blocks: Block[] }) {
  const cited = useCitedLocation().block;
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
      {file_id ? (
        <UploadedPictureView id={file_id} alt={caption} />
      ) : (
        <AssetPicture id={asset_id} alt={caption} />
      )}
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
          <UploadedPictureView id={found.file_id} alt={alt} />
        ) : (
          <img src={safeWebUrl(found?.url)} alt={alt} lang={language} loading="lazy" />
        )
      }
    </QueryBoundary>
  );
}
