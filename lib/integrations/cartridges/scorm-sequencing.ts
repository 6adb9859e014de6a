import type { StoredActivity } from "../../../schema/db/integrations/scorm.ts";
import { truncate } from "../../platform/text/truncate.ts";
import { childElements, deepElementText, descendants, type Element, elementAtPath } from "./xml.ts";

/** Of items and objectives: the state of a larger tree would not fit into a commit. Its items are a plain list. */
const maxTrackedElements = 250;

const tracked = new Set(["item", "objective", "primaryObjective"]);

/**
 * The activities of an organization of SCORM 2004 with their sequencing rules, as scorm-again's settings. Null
 * without sequencing, or if it is too large.
 */
export function readActivityTree(root: Element, organization: Element): StoredActivity | null {
  const elements = descendants(organization);
  const isSequenced = elements.some(({ name }) => name === "sequencing");
  if (!isSequenced || elements.filter(({ name }) => tracked.has(name)).length > maxTrackedElements)
    return null;
  return activityOf(organization, sharedSequencing(root));
}

export type SharedSequencing = ReadonlyMap<string | undefined, Element>;

/** By id. */
export function sharedSequencing(root: Element): SharedSequencing {
  const [collection] = childElements(root, "sequencingCollection");
  return new Map(
    (collection ? childElements(collection, "sequencing") : []).map((one) => [one.attributes["ID"], one]),
  );
}

function activityOf(item: Element, shared: SharedSequencing): StoredActivity {
  const { identifier = "", isvisible } = item.attributes;
  const parts = sequencingPartsOf(item, shared);
  const children = childElements(item, "item").map((one) => activityOf(one, shared));
  return {
    id: truncate(identifier, 255),
    title: truncate(deepElementText(elementAtPath(item, "title")) || identifier, 255),
    ...(isvisible !== undefined && { isVisible: isTrue(isvisible) }),
    ...limitsOf(parts.get("limitConditions")),
    sequencingControls: controlsOf(parts),
    ...(parts.has("deliveryControls") && {
      deliveryControls: flagsIn(parts.get("deliveryControls"), delivery),
    }),
    sequencingRules: rulesOf(parts.get("sequencingRules")),
    rollupRules: { rules: rollupRulesOf(parts.get("rollupRules")) },
    ...considerationsOf(parts.get("rollupConsiderations")),
    ...objectivesOf(parts),
    ...thresholdOf(item),
    hideLmsUi: hiddenButtons(item),
    sharedDataMaps: sharedDataOf(item),
    ...(children.length > 0 && { children }),
  };
}

/** By name; those of the item replace those of the collection. */
export function sequencingPartsOf(item: Element, shared: SharedSequencing): Map<string, Element> {
  const [own] = childElements(item, "sequencing");
  const reference = own?.attributes["IDRef"];
  const base = reference === undefined ? undefined : shared.get(reference);
  const parts = new Map<string, Element>();
  for (const sequencing of [base, own])
    for (const part of sequencing ? childElements(sequencing) : [])
      parts.set(isObjectivesExtension(part) ? "objectivesExtension" : part.name, part);
  return parts;
}

/** ADL's extension has the same name in another namespace, and no primary objective. */
const isObjectivesExtension = (part: Element): boolean =>
  part.name === "objectives" && childElements(part, "primaryObjective").length === 0;

const isTrue = (value: string | undefined): boolean => /^(true|1)$/.test(value?.trim() ?? "");

type Flags = Record<string, string>;

/** Boolean attributes that are present, by the name of their setting. */
const flagsIn = (element: Element | undefined, names: Flags): Record<string, boolean> =>
  Object.fromEntries(
    Object.entries(names).flatMap(([attribute, setting]) => {
      const value = element?.attributes[attribute];
      return value === undefined ? [] : [[setting, isTrue(value)]];
    }),
  );

const sameNames = (...names: string[]): Flags => Object.fromEntries(names.map((name) => [name, name]));

const control = sameNames(
  ...["choice", "choiceExit", "flow", "forwardOnly"],
  ...["useCurrentAttemptObjectiveInfo", "useCurrentAttemptProgressInfo"],
);
const choiceLimits = sameNames("preventActivation", "constrainChoice");
const rollup = sameNames("rollupObjectiveSatisfied", "rollupProgressCompletion");
const delivery = sameNames("tracked", "completionSetByContent", "objectiveSetByContent");

function controlsOf(parts: ReadonlyMap<string, Element>): Record<string, unknown> {
  const random = parts.get("randomizationControls")?.attributes ?? {};
  const weight = numberOf(parts.get("rollupRules")?.attributes["objectiveMeasureWeight"]);
  const count = numberOf(random["selectCount"]);
  return {
    // The standard's defaults; scorm-again's flow differs.
    ...{ choice: true, flow: false },
    ...flagsIn(parts.get("controlMode"), control),
    ...flagsIn(parts.get("constrainedChoiceConsiderations"), choiceLimits),
    ...flagsIn(parts.get("rollupRules"), rollup),
    ...(weight !== undefined && { objectiveMeasureWeight: weight }),
    ...timingOf("selectionTiming", random["selectionTiming"]),
    ...timingOf("randomizationTiming", random["randomizationTiming"]),
    ...(count !== undefined && { selectCount: count }),
    ...(random["reorderChildren"] !== undefined && { randomizeChildren: isTrue(random["reorderChildren"]) }),
  };
}

const timingOf = (name: string, value: string | undefined): Record<string, string> =>
  value !== undefined && /^(never|once|onEachNewAttempt)$/.test(value) ? { [name]: value } : {};

const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^-?\d{1,9}(\.\d{1,9})?$/.test(text.trim()) ? Number(text) : undefined;

function limitsOf(limits: Element | undefined): Record<string, unknown> {
  const attributes = limits?.attributes ?? {};
  const attempts = numberOf(attributes["attemptLimit"]);
  const durations = ["attemptAbsoluteDurationLimit", "activityAbsoluteDurationLimit"].flatMap((name) =>
    attributes[name] === undefined ? [] : [[name, attributes[name]]],
  );
  return { ...(attempts !== undefined && { attemptLimit: attempts }), ...Object.fromEntries(durations) };
}

const conditionName = /^[A-Za-z]{1,40}$/;

function rulesOf(rules: Element | undefined): Record<string, object[]> {
  const kinds = ["preConditionRule", "exitConditionRule", "postConditionRule"];
  return Object.fromEntries(
    kinds.map((kind) => [`${kind}s`, (rules ? childElements(rules, kind) : []).flatMap(ruleOf)]),
  );
}

function ruleOf(rule: Element): object[] {
  const action = elementAtPath(rule, "ruleAction")?.attributes["action"] ?? "";
  const all = elementAtPath(rule, "ruleConditions");
  if (!conditionName.test(action) || !all) return [];
  const conditions = childElements(all, "ruleCondition").flatMap(conditionOf);
  return [{ action, conditionCombination: all.attributes["conditionCombination"] ?? "all", conditions }];
}

function conditionOf({ attributes }: Element): object[] {
  const { condition = "", operator, referencedObjective, measureThreshold } = attributes;
  if (!conditionName.test(condition)) return [];
  const threshold = numberOf(measureThreshold);
  return [
    {
      condition,
      ...(operator === "not" && { operator }),
      ...(referencedObjective && { referencedObjective }),
      ...(threshold !== undefined && { parameters: { threshold } }),
    },
  ];
}

const rollupRulesOf = (rules: Element | undefined): object[] =>
  (rules ? childElements(rules, "rollupRule") : []).flatMap((rule) => {
    const action = elementAtPath(rule, "rollupAction")?.attributes["action"] ?? "";
    const all = elementAtPath(rule, "rollupConditions");
    if (!conditionName.test(action) || !all) return [];
    const { childActivitySet = "all", minimumCount, minimumPercent } = rule.attributes;
    return [
      {
        ...{ action, consideration: childActivitySet },
        ...{ minimumCount: numberOf(minimumCount) ?? 0, minimumPercent: numberOf(minimumPercent) ?? 0 },
        conditionCombination: all.attributes["conditionCombination"] ?? "any",
        conditions: childElements(all, "rollupCondition").flatMap(conditionOf),
      },
    ];
  });

/** Extension of ADL: which children count. */
function considerationsOf(considerations: Element | undefined): Record<string, unknown> {
  if (!considerations) return {};
  const { measureSatisfactionIfActive, ...required } = considerations.attributes;
  const known = Object.entries(required).filter(
    ([name, value]) =>
      /^requiredFor/.test(name) && /^(always|ifAttempted|ifNotSkipped|ifNotSuspended)$/.test(value),
  );
  return {
    rollupConsiderations: {
      ...Object.fromEntries(known),
      ...(measureSatisfactionIfActive !== undefined && {
        measureSatisfactionIfActive: isTrue(measureSatisfactionIfActive),
      }),
    },
  };
}

function objectivesOf(parts: ReadonlyMap<string, Element>): Record<string, unknown> {
  const all = parts.get("objectives");
  const extension = parts.get("objectivesExtension");
  const more = new Map(
    (extension ? childElements(extension, "objective") : []).map((one) => [
      one.attributes["objectiveID"] ?? "",
      mapsOf(one),
    ]),
  );
  const objectiveOf = (one: Element, id: string) => ({
    objectiveID: id,
    satisfiedByMeasure: isTrue(one.attributes["satisfiedByMeasure"]),
    minNormalizedMeasure: numberOf(deepElementText(elementAtPath(one, "minNormalizedMeasure"))) ?? 1,
    mapInfo: [...mapsOf(one), ...(more.get(id) ?? [])],
  });
  const [primary] = all ? childElements(all, "primaryObjective") : [];
  const others = (all ? childElements(all, "objective") : []).flatMap((one) => {
    const { objectiveID } = one.attributes;
    return objectiveID ? [objectiveOf(one, objectiveID)] : [];
  });
  return {
    ...(primary &&
      hasEffect(primary) && {
        primaryObjective: {
          ...objectiveOf(primary, primary.attributes["objectiveID"] || "primary_objective"),
          isPrimary: true,
        },
      }),
    ...(others.length > 0 && { objectives: others }),
  };
}

/** Without an id, an objective may still have rules. */
const hasEffect = (objective: Element): boolean =>
  Boolean(objective.attributes["objectiveID"]) ||
  isTrue(objective.attributes["satisfiedByMeasure"]) ||
  mapsOf(objective).length > 0;

const mapsOf = (objective: Element): object[] =>
  childElements(objective, "mapInfo").flatMap(({ attributes }) => {
    const { targetObjectiveID, ...flags } = attributes;
    const known = Object.entries(flags).filter(([name]) => /^(read|write)[A-Z][A-Za-z]{1,30}$/.test(name));
    return targetObjectiveID
      ? [{ targetObjectiveID, ...Object.fromEntries(known.map(([name, value]) => [name, isTrue(value)])) }]
      : [];
  });

function thresholdOf(item: Element): Record<string, unknown> {
  const [threshold] = childElements(item, "completionThreshold");
  if (!threshold) return {};
  const { completedByMeasure, minProgressMeasure, progressWeight } = threshold.attributes;
  const [least, weight] = [numberOf(minProgressMeasure), numberOf(progressWeight)];
  return {
    completionThreshold: {
      completedByMeasure: isTrue(completedByMeasure),
      ...(least !== undefined && { minProgressMeasure: least }),
      ...(weight !== undefined && { progressWeight: weight }),
    },
  };
}

const buttons = new Set(["continue", "previous", "exit", "exitAll", "abandon", "abandonAll", "suspendAll"]);

const hiddenButtons = (item: Element): string[] => {
  const shown = elementAtPath(item, "presentation", "navigationInterface");
  return (shown ? childElements(shown, "hideLMSUI") : [])
    .map(deepElementText)
    .filter((name) => buttons.has(name));
};

const sharedDataOf = (item: Element): object[] => {
  const [data] = childElements(item, "data");
  return (data ? childElements(data, "map") : []).flatMap(({ attributes }) => {
    const { targetID, readSharedData = "true", writeSharedData = "true" } = attributes;
    return targetID
      ? [{ targetID, readSharedData: isTrue(readSharedData), writeSharedData: isTrue(writeSharedData) }]
      : [];
  });
};
