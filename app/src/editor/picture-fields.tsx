import { allOf, dataOf } from "learning-platform-client";
import { useState } from "preact/hooks";
import type { Node } from "prosemirror-model";
import type { Command } from "prosemirror-state";
import { ActionButton } from "../components/action.tsx";
import { ButtonWithFocusFallback } from "../components/button.tsx";
import { LabeledSelect } from "../components/labeled-select.tsx";
import { QueryBoundary, useQuery } from "../query.tsx";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";
import { editorSchema, isWebOrMailAddress } from "./schema.ts";

const { nodes } = editorSchema;

const insert =
  (node: Node): Command =>
  (state, dispatch) => {
    const at = state.selection.$from.depth === 0 ? state.selection.to : state.selection.$from.after(1);
    const tr = state.tr.insert(at, node);
    dispatch?.(tr.scrollIntoView());
    return true;
  };

type PictureProps = {
  university: number;
  run: (command: Command) => void;
  onFiles: (files: readonly File[]) => void;
  onDone: () => void;
};

/** Inserts a picture: a file, one of the university's, or one at another site. */
export function InsertPictureFields({ university, run, onFiles, onDone }: PictureProps) {
  const [address, setAddress] = useState("");
  const assets = useQuery(
    (signal) =>
      allOf(apiClient.listAssets, { params: { query: { university_id: university, limit: 1000 } }, signal }),
    [university],
  );
  const put = (node: Node) => {
    run(insert(node));
    onDone();
  };
  return (
    <div class="selection">
      <label>
        {t("editor.picture.file")}
        <input
          type="file"
          accept="image/*"
          multiple
          onChange={({ currentTarget }) => {
            onFiles([...(currentTarget.files ?? [])]);
            onDone();
          }}
        />
      </label>
      <QueryBoundary of={assets}>
        {(found) =>
          found.length > 0 && (
            <LabeledSelect
              label={t("block.image")}
              value=""
              options={[
                ["", "–"],
                ...found.map(({ id, url, file_name }) => [`${id}`, file_name ?? url] as const),
              ]}
              onChoose={(id) => id && put(nodes.picture.create({ asset_id: Number(id) }))}
            />
          )
        }
      </QueryBoundary>
      <label>
        {t("block.image.url")}
        <input
          type="url"
          placeholder="https://"
          value={address}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
      </label>
      <div class="row">
        <ButtonWithFocusFallback
          disabled={!isWebOrMailAddress(address.trim())}
          onClick={() => put(nodes.paragraph.create(null, nodes.image.create({ src: address.trim() })))}
        >
          {t("editor.picture.insert")}
        </ButtonWithFocusFallback>
        <ButtonWithFocusFallback class="quiet" onClick={onDone}>
          {t("cancel")}
        </ButtonWithFocusFallback>
      </div>
    </div>
  );
}

type ShareProps = { university: number; file: number; onShared: (asset: number) => void };

/** Adds a picture to those that all authors of the university can insert. */
export function SharePictureWithUniversityButton({ university, file, onShared }: ShareProps) {
  const share = async () => {
    const body = { file_id: file, asset_type: "image", university_id: university };
    onShared((await dataOf(apiClient.createAsset({ body }))).id);
  };
  return <ActionButton run={share}>{t("block.image.add")}</ActionButton>;
}
