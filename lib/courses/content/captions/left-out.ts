import {
  type EncodedOmission,
  encodeOmission,
  encodeOmittedElement,
} from "../../../platform/results/omission-codes.ts";

const maxLines = 50;
const longestValue = 200;

export type CaptionOmissionCollector = {
  addElement: (name: string) => void;
  addSetting: (setting: string, value: string) => void;
  /** A note, a style or a region. */
  addBlock: (lines: readonly string[]) => void;
  readonly lines: EncodedOmission[];
};

/** Contents of a file of captions that a transcript cannot hold, each once. */
export function createCaptionOmissionCollector(): CaptionOmissionCollector {
  const all = new Set<EncodedOmission>();
  const addSetting: CaptionOmissionCollector["addSetting"] = (setting, value) => {
    const cut = { setting: setting.slice(0, 50), value: value.slice(0, longestValue) };
    all.add(encodeOmission("left_out_setting", cut));
  };
  return {
    addElement: (name) => void all.add(encodeOmittedElement(name)),
    addSetting,
    addBlock([head = "", ...rest]) {
      const [, kind = "", own = ""] = /^(\w+)\s*(.*)$/.exec(head) ?? [];
      addSetting(kind, [own, ...rest].filter(Boolean).join(" "));
    },
    get lines() {
      const lines = [...all];
      const more = lines.length - maxLines;
      return more > 0
        ? [...lines.slice(0, maxLines), encodeOmission("left_out_further", { count: more })]
        : lines;
    },
  };
}
