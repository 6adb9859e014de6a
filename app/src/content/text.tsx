import { dataOf } from "learning-platform-client";
import { EmptyMessage } from "../components/empty.tsx";
import { UploadedPictureById } from "../files/uploaded-file.tsx";
import { useContentLanguage } from "../markup/content-language.ts";
import { FormulaView, MarkdownWithFormulas } from "../markup/markdown-with-formulas.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { CitedScrollTarget, useCitedLocation } from "./cited-location.tsx";
import { type ContentBlock, safeWebUrl, type TextData } from "./content-data.ts";
import { ContentLinkList } from "./resource.tsx";

export function TextView({ data: { blocks = [] } }: { data: TextData }) {
  return blocks.length === 0 ? (
    <EmptyMessage>{t("content.empty")}</EmptyMessage>
  ) : (
    <ContentBlocksView blocks={blocks} />
  );
}

export function ContentBlocksView({ blocks }: { blocks: ContentBlock[] }) {
  const cited = useCitedLocation().block;
  return (
    <div class="reading">
      {blocks.map((block, at) =>
        // Blocks have no ids and a fixed order.
        at + 1 === cited ? (
          <CitedScrollTarget key={at}>
            <BlockView block={block} />
          </CitedScrollTarget>
        ) : (
          <BlockView key={at} block={block} />
        ),
      )}
    </div>
  );
}

function BlockView({ block }: { block: ContentBlock }) {
  switch (block.type) {
    case "math":
      return block.latex ? <FormulaView latex={block.latex} /> : null;
    case "image":
      return <Picture block={block} />;
    case "link_list":
      return <ContentLinkList links={block.items ?? []} />;
    default:
      return <MarkdownWithFormulas source={block.text ?? ""} byStaff />;
  }
}

/** A picture from a file or a university asset. The caption is its alt text. */
function Picture({ block: { file_id, asset_id, caption = "" } }: { block: ContentBlock }) {
  const language = useContentLanguage();
  return (
    <figure>
      {file_id ? (
        <UploadedPictureById id={file_id} alt={caption} />
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
      asset_id === undefined
        ? undefined
        : dataOf(apiClient.getAsset({ params: { path: { asset_id } }, signal })),
    [asset_id],
  );
  return (
    <QueryBoundary of={asset}>
      {(found) =>
        found?.file_id ? (
          <UploadedPictureById id={found.file_id} alt={alt} />
        ) : (
          <img src={safeWebUrl(found?.url)} alt={alt} lang={language} loading="lazy" />
        )
      }
    </QueryBoundary>
  );
}
