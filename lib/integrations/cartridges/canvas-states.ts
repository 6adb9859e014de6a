import { childElements, deepElementText, descendants, type Element } from "./xml.ts";

/** Canvas's states of the outline's items, and of files. The manifest has no place for them. */
export const canvasStateFileNames = ["course_settings/module_meta.xml", "course_settings/files_meta.xml"];

export type CanvasStates = {
  /** By the identifier of the outline's item. */
  isUnpublished(item: string): boolean;
  /** By the identifier of the resource, or a folder of its path. */
  isHiddenFile(resource: string, path: string): boolean;
};

export function readCanvasStates(roots: readonly Element[]): CanvasStates {
  const elements = roots.flatMap(descendants);
  const named = (name: string) => elements.filter((one) => one.name === name);
  const items = named("item").filter((one) => !/^(active)?$/.test(textIn(one, "workflow_state")));
  const unpublished = new Set(items.map(identifierOf));
  const files = new Set(named("file").filter(isHidden).map(identifierOf));
  const folders = named("folder")
    .filter(isHidden)
    .map(({ attributes: { path = "" } }) => `web_resources/${path}/`);
  return {
    isUnpublished: (item) => unpublished.has(item),
    isHiddenFile: (resource, path) =>
      files.has(resource) || folders.some((folder) => path.startsWith(folder)),
  };
}

const identifierOf = ({ attributes: { identifier = "" } }: Element): string => identifier;

const textIn = (element: Element, name: string): string => deepElementText(childElements(element, name)[0]);

const isHidden = (file: Element): boolean =>
  ["locked", "hidden"].some((name) => textIn(file, name) === "true");
