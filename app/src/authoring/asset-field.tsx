import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import { Action } from "../components/action.tsx";
import { IdField } from "../components/id-field.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { api } from "../service.ts";
import { t } from "../texts.ts";
import { type Data, withValueAt } from "./at-path.ts";

type AssetFieldProps = {
  university: number;
  within: string;
  data: Data;
  onChange: (data: Data) => void;
};

/** One of the university's pictures, to which another one is added by its address. */
export function AssetField({ university, within, data, onChange }: AssetFieldProps) {
  const [url, setUrl] = useState("");
  const assets = useQuery(
    (signal) =>
      allOf(api.listAssets, { params: { query: { university_id: university, limit: 1000 } }, signal }),
    [university],
  );
  const choose = (id: number | undefined) => onChange(withValueAt(data, "asset_id", id));
  const add = async () => {
    const body = { url, asset_type: "image", university_id: university };
    const { id } = await dataOf(api.createAsset({ body }));
    setUrl("");
    choose(id);
    assets.again();
  };
  return (
    <>
      <QueryBoundary of={assets}>
        {(found) => (
          <IdField
            name={`${within}.asset_id`}
            label={t("block.image")}
            of={found.map(({ id, url: address }) => [id, address])}
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
        <Action run={add} disabled={url.trim() === ""}>
          {t("block.image.add")}
        </Action>
      </div>
    </>
  );
}
