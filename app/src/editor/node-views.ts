import { dataOf } from "learning-platform-client";
import type { Node } from "prosemirror-model";
import type { NodeView, NodeViewConstructor } from "prosemirror-view";
import { watchSignedFileUrl } from "../files/use-signed-file-url.ts";
import { renderMarkdown } from "../markup/markup.ts";
import { renderFormulaAsMathMl } from "../markup/math.ts";
import { sanitizeHtml } from "../markup/sanitiser.ts";
import { apiClient } from "../service.ts";
import { t } from "../texts.ts";

/** A node drawn by `draw`, which may return a function that stops what it began. */
function drawnNode(
  node: Node,
  tag: string,
  draw: (dom: HTMLElement, node: Node) => (() => void) | undefined,
): NodeView {
  const dom = document.createElement(tag);
  dom.className = `node-${node.type.name}`;
  let shown = node;
  let stop = draw(dom, node);
  return {
    dom,
    update(next) {
      if (next.type !== shown.type) return false;
      if (!next.hasMarkup(shown.type, shown.attrs)) {
        stop?.();
        stop = draw(dom, next);
        shown = next;
      }
      return true;
    },
    ignoreMutation: () => true,
    destroy: () => stop?.(),
  };
}

const formula: NodeViewConstructor = (node) =>
  drawnNode(node, "span", (dom, { attrs: { latex, display } }) => {
    dom.dataset["display"] = String(display);
    dom.innerHTML = sanitizeHtml(latex.trim() ? renderFormulaAsMathMl(latex, display) : "∑");
    return undefined;
  });

const picture: NodeViewConstructor = (node) =>
  drawnNode(node, "figure", (dom, { attrs: { file_id, asset_id, caption, upload } }) => {
    const image = document.createElement("img");
    image.alt = caption;
    const words = document.createElement("figcaption");
    words.textContent = upload ? t("editor.uploading") : caption;
    dom.replaceChildren(image, words);
    if (file_id) return showFile(file_id, image);
    return asset_id ? showAsset(asset_id, image) : undefined;
  });

const showFile = (file: number, image: HTMLImageElement): (() => void) =>
  watchSignedFileUrl(file, (url) => {
    image.src = url;
  });

/** An asset is an uploaded file, or a picture at another site. */
function showAsset(asset_id: number, image: HTMLImageElement): () => void {
  let isShown = true;
  let stop: (() => void) | undefined;
  dataOf(apiClient.getAsset({ params: { path: { asset_id } } })).then(
    ({ file_id, url }) => {
      if (!isShown) return;
      if (file_id) stop = showFile(file_id, image);
      else if (url) image.src = url;
    },
    () => {},
  );
  return () => {
    isShown = false;
    stop?.();
  };
}

const source: NodeViewConstructor = (node) =>
  drawnNode(node, "div", (dom, { attrs: { markdown } }) => {
    let isShown = true;
    renderMarkdown(markdown, true).then(
      (html) => {
        if (isShown) dom.innerHTML = html;
      },
      () => {},
    );
    return () => {
      isShown = false;
    };
  });

export const editorNodeViews = { formula, picture, source };
