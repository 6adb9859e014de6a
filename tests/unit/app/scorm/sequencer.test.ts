import { describe, expect, it } from "vitest";
import type { ActivityTree, AllowedNavigation } from "../../../../app/src/scorm/player-messages.ts";
import { createSequencer, type Sequencer } from "../../../../app/src/scorm/sequencer.ts";
import { readScormManifest } from "../../../../lib/integrations/cartridges/scorm-manifest.ts";
import {
  controlMode,
  pagesOf,
  ruleOf,
  type SequencedItem,
  sequencedManifest,
} from "../../../support/sequenced-scorm.ts";

type Package = { items: SequencedItem[]; sequencing?: string; collection?: string };

const flow = controlMode('flow="true" choice="false"');
const both = controlMode('flow="true" choice="true"');

function play({ items, sequencing, collection }: Package) {
  const manifest = Buffer.from(sequencedManifest(items, sequencing, collection));
  const tree = readScormManifest({ manifest, names: pagesOf(items) }).activity_tree as ActivityTree | null;
  if (!tree) throw new Error("it is sequenced");
  let navigation: AllowedNavigation = { canContinue: false, canGoBack: false, choices: [] };
  let sequencer: Sequencer;
  /** Each item has a player of its own, with the state of the one before. */
  const begin = (state: string | null, item: string, isFresh = false) => {
    sequencer = createSequencer(tree, state, (told) => {
      navigation = told;
    });
    return sequencer.open({ item, isFresh });
  };
  let delivered = begin(null, pagesOf(items)[0]?.replace(".html", "") ?? "");
  const follow = (next: typeof delivered) => {
    delivered = next && begin(sequencer.report().state, next.item, next.isFresh);
    return next;
  };
  const values = (given: Record<string, string>) => {
    const { api } = sequencer;
    api.Initialize("");
    for (const [name, value] of Object.entries(given))
      expect([name, api.SetValue(name, value)]).toEqual([name, "true"]);
  };
  return {
    at: () => delivered?.item,
    navigation: () => navigation,
    report: () => sequencer.report(),
    isOver: () => sequencer.isOver(),
    navigate: (request: "continue" | "previous") => follow(sequencer.navigate({ request })),
    choose: (target: string) => follow(sequencer.navigate({ request: "choice", target })),
    /** Runs the current SCO until it terminates. */
    run(given: Record<string, string>) {
      values(given);
      return follow(sequencer.deliveredBy(() => sequencer.api.Terminate("")));
    },
    /** The learner leaves, and comes back. */
    leave(given: Record<string, string> = {}) {
      values(given);
      sequencer.suspend();
      sequencer.api.Terminate("");
      const { state, next } = sequencer.report();
      delivered = begin(state, next ?? "");
      return next;
    },
  };
}

const passed = (scaled: string) => ({
  ...{ "cmi.score.scaled": scaled, "cmi.success_status": "passed", "cmi.completion_status": "completed" },
});
const onward = { "adl.nav.request": "continue" };

describe("a sequenced package", () => {
  const three = [{ id: "a" }, { id: "b" }, { id: "c" }];

  it("flows from item to item, back again, and ends after the last", () => {
    const at = play({ items: three, sequencing: flow });
    expect([at.at(), at.navigation()]).toEqual(["a", { canContinue: true, canGoBack: false, choices: [] }]);
    expect(at.run({ ...passed("0.5"), ...onward })).toEqual({ item: "b", isFresh: true });
    expect(at.navigation()).toMatchObject({ canContinue: true, canGoBack: true });
    at.run({ "adl.nav.request": "previous" });
    expect(at.at()).toBe("a");
    at.navigate("continue");
    at.run(onward);
    expect(at.at()).toBe("c");
    expect(at.run(onward)).toBeUndefined();
    expect(at.isOver()).toBe(true);
  });

  it("rolls up status and score of its items", () => {
    const at = play({ items: three, sequencing: flow });
    at.run({ ...passed("0.6"), ...onward });
    at.run({ ...passed("0.9"), ...onward });
    expect(at.report()).toMatchObject({ completed: false });
    at.run({ ...passed("0.9"), ...onward });
    expect(at.report()).toMatchObject({ completed: true, passed: true, scaled: expect.closeTo(0.8, 5) });
  });

  it("rolls up by weights, and without items that are not tracked", () => {
    const weight = (value: string) => `<imsss:rollupRules objectiveMeasureWeight="${value}"/>`;
    const untracked = '<imsss:deliveryControls tracked="false"/>';
    const items = [
      { id: "a", sequencing: weight("1") },
      { id: "b", sequencing: weight("3") },
      { id: "c", sequencing: untracked },
    ];
    const at = play({ items, sequencing: flow });
    at.run({ ...passed("0.2"), ...onward });
    at.run({ ...passed("1"), ...onward });
    at.run({ "cmi.completion_status": "incomplete", ...onward });
    expect(at.report()).toMatchObject({ completed: true, passed: true, scaled: expect.closeTo(0.8, 5) });
  });

  it("decides by the manifest's measure whether it is passed", () => {
    const objective = `${flow}<imsss:objectives><imsss:primaryObjective objectiveID="root" satisfiedByMeasure="true">
      <imsss:minNormalizedMeasure>0.7</imsss:minNormalizedMeasure></imsss:primaryObjective></imsss:objectives>`;
    const at = play({ items: [{ id: "a" }, { id: "b" }], sequencing: objective });
    at.run({ ...passed("0.5"), ...onward });
    at.run({ ...passed("0.7"), ...onward });
    expect(at.report()).toMatchObject({ passed: false, scaled: expect.closeTo(0.6, 5) });
  });

  it("skips an item by a rule about an objective of another one", () => {
    const written = `<imsss:objectives><imsss:primaryObjective objectiveID="own">
      <imsss:mapInfo targetObjectiveID="shared" writeSatisfiedStatus="true"/></imsss:primaryObjective></imsss:objectives>`;
    const read = `${ruleOf("preConditionRule", "skip", 'referencedObjective="seen" condition="satisfied"')}
      <imsss:objectives><imsss:primaryObjective objectiveID="own"/><imsss:objective objectiveID="seen">
      <imsss:mapInfo targetObjectiveID="shared" readSatisfiedStatus="true"/></imsss:objective></imsss:objectives>`;
    const items = [{ id: "a", sequencing: written }, { id: "b", sequencing: read }, { id: "c" }];
    const tested = play({ items, sequencing: flow });
    tested.run({ ...passed("1"), ...onward });
    expect(tested.at()).toBe("c");
    const untested = play({ items, sequencing: flow });
    untested.run({ "cmi.success_status": "failed", "cmi.completion_status": "completed", ...onward });
    expect(untested.at()).toBe("b");
  });

  it("lets the learner choose where its folders allow it, and not what is hidden", () => {
    const hidden = ruleOf("preConditionRule", "hiddenFromChoice", 'condition="always"');
    const items = [
      { id: "f", sequencing: both, items: [{ id: "a" }, { id: "b" }] },
      { id: "g", sequencing: flow, items: [{ id: "c" }, { id: "d", sequencing: hidden }] },
      { id: "e" },
    ];
    const at = play({ items, sequencing: both });
    expect(at.at()).toBe("a");
    expect(at.navigation().choices.filter((id) => /^[a-e]$/.test(id))).toEqual(["a", "b", "e"]);
    at.choose("e");
    expect(at.at()).toBe("e");
    expect(at.choose("c")).toBeUndefined();
    at.choose("b");
    expect(at.at()).toBe("b");
  });

  it("without flow starts with the chosen item", () => {
    const at = play({ items: three, sequencing: controlMode('choice="true"') });
    expect([at.at(), at.navigation().canContinue]).toEqual(["a", false]);
    at.choose("c");
    expect(at.at()).toBe("c");
  });

  it("resumes the item that the learner left, with its data", () => {
    const at = play({ items: three, sequencing: flow });
    at.run({ ...passed("0.5"), ...onward });
    expect(at.leave({ "cmi.location": "page 2" })).toBe("b");
    expect(at.at()).toBe("b");
    at.run(onward);
    expect(at.at()).toBe("c");
    expect(at.report()).toMatchObject({ completed: false });
  });

  it("retries a failed item afresh", () => {
    const retry = ruleOf("postConditionRule", "retry", 'operator="not" condition="satisfied"');
    const at = play({ items: [{ id: "a", sequencing: retry }, { id: "b" }], sequencing: flow });
    const failed = { "cmi.success_status": "failed", "cmi.completion_status": "completed" };
    expect(at.run({ ...failed, ...onward })).toEqual({ item: "a", isFresh: true });
    at.run({ ...passed("1"), ...onward });
    expect(at.at()).toBe("b");
  });

  it("that ended begins again", () => {
    const at = play({ items: three, sequencing: flow });
    at.run({ ...passed("0.5"), "adl.nav.request": "exitAll" });
    expect(at.isOver()).toBe(true);
    const { state } = at.report();
    const manifest = Buffer.from(sequencedManifest(three, flow));
    const tree = readScormManifest({ manifest, names: pagesOf(three) }).activity_tree as ActivityTree;
    const again = createSequencer(tree, state, () => {});
    expect(again.open({ item: "a", isFresh: false })?.item).toBe("a");
  });

  it("that ended by its flow begins again", () => {
    const at = play({ items: [{ id: "a" }, { id: "b" }], sequencing: flow });
    at.run({ ...passed("0.5"), ...onward });
    at.run({ ...passed("0.5"), ...onward });
    const { state } = at.report();
    const manifest = Buffer.from(sequencedManifest([{ id: "a" }, { id: "b" }], flow));
    const tree = readScormManifest({ manifest, names: ["a.html", "b.html"] }).activity_tree as ActivityTree;
    expect(createSequencer(tree, state, () => {}).open({ item: "b", isFresh: false })?.item).toBe("a");
  });

  it("has shared rules of its manifest's collection, which an item overrides", () => {
    const collection = `<imsss:sequencing ID="shared">${flow}</imsss:sequencing>`;
    const items = [
      { id: "f", items: [{ id: "a" }, { id: "b" }] },
      { id: "g", items: [{ id: "c" }, { id: "d" }] },
    ];
    const named = sequencedManifest(items, flow, collection).replace(
      /(<item identifier="b".*?<\/item>)/s,
      '$1<imsss:sequencing IDRef="shared"/>',
    );
    const { activity_tree } = readScormManifest({ manifest: Buffer.from(named), names: pagesOf(items) });
    expect(activity_tree?.children?.map(({ sequencingControls }) => sequencingControls)).toMatchObject([
      { flow: true, choice: false },
      { flow: false, choice: true },
    ]);
  });

  it("of the largest size fits into a commit", () => {
    const items = Array.from({ length: 125 }, (_, index) => ({
      id: `item_${index}`,
      title: `A part of the course with an ordinary title, number ${index}`,
      sequencing:
        '<imsss:objectives><imsss:primaryObjective objectiveID="own" satisfiedByMeasure="true"/></imsss:objectives>',
    }));
    const at = play({ items, sequencing: both });
    expect(at.report().state.length).toBeLessThan(400_000);
    const manifest = Buffer.from(sequencedManifest([...items, { id: "more" }], both));
    const names = pagesOf([...items, { id: "more" }]);
    expect(readScormManifest({ manifest, names }).activity_tree).toBeNull();
  });
});
