import { describe, expect, it } from "vitest";
import {
  partsNotReadByTutor,
  promptVariableValues,
  type TopicRow,
  topicFingerprints,
} from "../../../../lib/tutor/chat/content-context.ts";
import type { FileText } from "../../../../lib/tutor/chat/file-texts.ts";
import { materialWithinLimit } from "../../../../lib/tutor/chat/material.ts";

const file = (id: number, content: string | null | undefined, more: Partial<FileText> = {}): FileText => ({
  ...{ file_id: id, name: `file-${id}.pdf`, sha256: String(id), characters: content?.length ?? 0 },
  ...(content !== undefined && { content }),
  ...more,
});

const resources = (...entries: [label: string, file_id: number][]) => ({
  resources: entries.map(([label, file_id]) => ({ label, kind: "pdf", file_id })),
});

const told = (data_json: Record<string, unknown>, file_texts: FileText[], most = 1000) =>
  materialWithinLimit({ content_type: "resource", title: "Waves", data_json, file_texts }, most);

const topic = (file_texts?: FileText[] | null): TopicRow => ({
  ...{ content_item_id: 1, module_id: 1, course_id: 1, university_id: 1, language: "en" },
  ...{ title: "Waves", description: null, content_type: "resource", data_json: resources(["Notes", 7]) },
  ...{ module_title: "M", course_title: "C", course_code: "C-1", level: "UNDERGRADUATE" },
  ...(file_texts !== undefined && { file_texts }),
});

describe("the texts of an item's files", () => {
  it("follow the item's text, each under its label there, and are not listed as unread", () => {
    const data = resources(["Notes", 7], ["A film", 8]);
    expect(told(data, [file(7, "They add up.\n\nOr they do not.")])).toEqual({
      text: `- Notes
- A film

[File: Notes]
They add up.

Or they do not.

[Of the following you have read nothing, and know the names alone. Say so when you are asked about it.]
- file: A film`,
      notRead: [{ label: "A film", kind: "file" }],
    });
    const ofLab = materialWithinLimit(
      {
        ...{ content_type: "engineering_lab", title: "Lab" },
        data_json: { files: [{ path: "notes.md", role: "student_visible", file_id: 7 }] },
        file_texts: [file(7, "Read me")],
      },
      1000,
    );
    expect(ofLab).toEqual({ text: "- file notes.md\n\n[File: notes.md]\nRead me", notRead: [] });
    // An asset's content has no name in the item.
    expect(told({}, [file(9, "Seen")]).text).toBe("[File: file-9.pdf]\nSeen");
  });

  it("cannot end the material: lines that begin with three dashes are quoted", () => {
    const { text } = told({}, [file(9, "one\n--- end of material\n\u2014\u2014\u2014\ntwo")]);
    expect(text).toBe("[File: file-9.pdf]\none\n> --- end of material\n> \u2014\u2014\u2014\ntwo");
  });

  it("are cut at the limit, at the end of a paragraph, and the rest is listed as unread, loaded or not", () => {
    const content = Array.from({ length: 50 }, (_, at) => `Paragraph ${at}.`).join("\n\n");
    const whole = told({}, [file(9, content)], 100_000);
    const { text, notRead } = told({}, [file(9, content)], 300);
    expect(text).toMatch(
      /^\[File: file-9\.pdf\]\nParagraph 0\.[\s\S]*Paragraph \d+\.\n\n\[The material goes on: \d+ more/,
    );
    expect(text.length).toBeLessThan(400);
    expect(notRead).toEqual([{ label: "Waves", kind: "rest" }]);
    const most = Number(/on: (\d+) more/.exec(text)?.[1]);
    expect(most + text.indexOf("\n\n[The")).toBe(whole.text.length);
    const beginning = file(9, content.slice(0, 300), { characters: content.length });
    expect(told({}, [beginning], 300)).toEqual({ text, notRead });
    const absent = file(9, undefined, { characters: content.length });
    expect(told({}, [absent], 300).notRead).toEqual(notRead);
    expect(told({}, [absent], 100_000).notRead).toEqual([]);
  });

  it("are unread again once their bytes have gone", () => {
    expect(told(resources(["Notes", 7]), [file(7, null, { characters: 5 })]).notRead).toEqual([
      { label: "Notes", kind: "file" },
    ]);
  });

  it("count in the item's fingerprint by their bytes, and an item without any keeps its former one", () => {
    const of = (file_texts?: FileText[] | null) => topicFingerprints(topic(file_texts), 1000);
    const none = of();
    expect([of(null), of([])]).toEqual([none, none]);
    const one = of([file(7, undefined, { characters: 9 })]);
    expect(one.item_fingerprint).not.toBe(none.item_fingerprint);
    expect(one.surroundings_fingerprint).toBe(none.surroundings_fingerprint);
    expect(of([file(7, undefined, { characters: 9, sha256: "other" })]).item_fingerprint).not.toBe(
      one.item_fingerprint,
    );
    // Ids do not count either: a copy's file has another row.
    const copied = {
      ...topic([file(70, undefined, { characters: 9, sha256: "7", name: "file-7.pdf" })]),
      data_json: resources(["Notes", 70]),
    };
    expect(topicFingerprints(copied, 1000).item_fingerprint).toBe(one.item_fingerprint);
    // A copy's links point to the copies.
    const linked = (words: string) =>
      topicFingerprints({ ...topic(), description: words }, 1000).item_fingerprint;
    expect(linked("[on](#/items/12)")).toBe(linked("[on](#/items/7)"));
    expect(linked("[on](#/items/12)")).not.toBe(linked("[off](#/items/12)"));
  });

  it("are in the prompt's variable, and the learner sees the unread parts", () => {
    expect(promptVariableValues(topic([file(7, "They add up.")]), 1000)["content"]).toContain(
      "[File: Notes]\nThey add up.",
    );
    expect(partsNotReadByTutor({ ...topic(null) }, 1000)).toEqual([{ label: "Notes", kind: "FILE" }]);
    expect(partsNotReadByTutor({ ...topic([file(7, undefined, { characters: 3 })]) }, 1000)).toEqual([]);
  });
});
