import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { ActionButton } from "../components/action.tsx";
import { SelectByIdField } from "../components/id-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { type ContentData, withValueAt } from "./at-path.ts";
import { FileField } from "./file-field.tsx";

type AssetFieldProps = {
  university: number;
  course: number;
  within: string;
  data: ContentData;
  onChange: (data: ContentData) => void;
};

/** Picks one of the author's or university's pictures, or adds one by upload or URL. */
export function ImageAssetField({ university, course, within, data, onChange }: AssetFieldProps) {
  const [url, setUrl] = useState("");
  const assets = useQuery(
    (signal) =>
      allOf(apiClient.listAssets, { params: { query: { university_id: university, limit: 1000 } }, signal }),
    [university],
  );
  const { asset_id: _, file_id: fileId, ...rest } = data;
  const choose = (id: number | undefined) => onChange(withValueAt(rest, "asset_id", id));
  const add = async (picture: { url: string } | { file_id: number }) => {
    const body = { ...picture, asset_type: "image", university_id: university };
    const { id } = await dataOf(apiClient.createAsset({ body }));
    setUrl("");
    choose(id);
    assets.again();
  };
  return (
    <>
      <FileField
        label={t("block.image.file")}
        course={course}
        file={fileId}
        accept="image/*"
        onChange={(file) => onChange(withValueAt(file ? rest : data, "file_id", file?.id))}
      />
      {typeof fileId === "number" && (
        <ActionButton run={() => add({ file_id: fileId })}>{t("block.image.add")}</ActionButton>
      )}
      <QueryBoundary of={assets}>
        {(found) => (
          <SelectByIdField
            name={`${within}.asset_id`}
            label={t("block.image")}
            of={found.map(({ id, url: address, file_name }) => [id, file_name ?? address])}
            chosen={Number(data["asset_id"]) || null}
            onChoose={choose}
          />
        )}
      </QueryBoundary>
      <div class="row">
        <label>
          {t("block.image.url")}
          <input
            type="url"
            placeholder="https://"
            value={url}
            onInput={(event) => setUrl(event.currentTarget.value)}
          />
        </label>
        <ActionButton run={() => add({ url })} disabled={url.trim() === ""}>
          {t("block.image.add")}
        </ActionButton>
      </div>
    </>
  );
}
