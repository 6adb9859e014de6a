import { describe, expect, it } from "vitest";
import {
  BrokenReferenceError,
  inlineReferences,
  type PromptGraph,
  resolutionGraph,
} from "../../../../lib/tutor/prompts/inline.ts";
import { distinctReferences } from "../../../../lib/tutor/prompts/references.ts";

const to = (name: string) => `@@@refPrompt:name=${name}|label=production@@@`;

/** A graph of prompts by name, the first as root. References are by name. */
function graphOf(texts: Record<string, string>): PromptGraph {
  const names = Object.keys(texts);
  const prompts = names.map((name, index) => ({
    id: index + 1,
    name,
    version: 1,
    prompt: texts[name] ?? "",
  }));
  const links = prompts.flatMap(({ prompt }) =>
    distinctReferences(prompt).map((reference) => ({
      ...reference,
      child_id: names.includes(reference.child_name) ? names.indexOf(reference.child_name) + 1 : null,
    })),
  );
  return { root: 1, prompts, links };
}

const problemOf = (texts: Record<string, string>) => {
  try {
    inlineReferences(graphOf(texts));
  } catch (error) {
    if (error instanceof BrokenReferenceError) return { problem: error.problem, chain: error.chain };
    throw error;
  }
  return undefined;
};

const chain = (levels: number) =>
  Object.fromEntries(
    Array.from({ length: levels + 1 }, (_, level) => [
      `p${level}`,
      level < levels ? `${level}${to(`p${level + 1}`)}` : "end",
    ]),
  );

describe("inlining references", () => {
  it("puts each referenced text at its tag", () => {
    expect(inlineReferences(graphOf({ root: `a${to("b")}c${to("b")}`, b: `<${to("d")}>`, d: "deep" }))).toBe(
      "a<deep>c<deep>",
    );
  });

  it("accepts five levels and rejects the sixth, with the chain", () => {
    expect(inlineReferences(graphOf(chain(5)))).toBe("01234end");
    expect(problemOf(chain(6))).toEqual({
      problem: "too deep",
      chain: ["p0", "p1", "p2", "p3", "p4", "p5", "p6"],
    });
  });

  it("rejects a cycle, with the chain", () => {
    expect(problemOf({ a: to("b"), b: to("a") })).toEqual({ problem: "cycle", chain: ["a", "b", "a"] });
  });

  it("rejects a reference without a target, naming it", () => {
    expect(problemOf({ a: to("gone") })).toEqual({
      problem: "missing",
      chain: ["a", "gone (label production)"],
    });
  });

  it("does not parse inlined text: a tag that two texts form stays text", () => {
    const half = "@@@refPrompt:name=b|label=";
    expect(inlineReferences(graphOf({ a: `${half}${to("b")}`, b: "production@@@" }))).toContain("refPrompt");
  });

  it("is bounded, however often texts repeat each other", () => {
    const many = (name: string) => to(name).repeat(100);
    const texts = { a: many("b"), b: many("c"), c: many("d"), d: "x".repeat(10_000) };
    expect(problemOf(texts)).toEqual({ problem: "too long", chain: ["a"] });
  });

  it("accepts a million characters and rejects one more, counted in code points", () => {
    const texts = (end: string) => ({ a: `${to("b").repeat(5)}${end}`, b: "😀".repeat(200_000) });
    expect(inlineReferences(graphOf(texts("")))).toBe("😀".repeat(1_000_000));
    expect(problemOf(texts("."))).toEqual({ problem: "too long", chain: ["a"] });
  });
});

describe("the resolution graph", () => {
  it("names the references of each prompt, once each and in order, and omits prompts without any", () => {
    const texts = { root: `${to("c")}${to("b")}${to("c")}`, b: to("c"), c: "end" };
    const [root, b, c] = Object.keys(texts).map((name, at) => ({ id: at + 1, name, version: 1 }));
    expect(resolutionGraph(graphOf(texts))).toEqual({ root, dependencies: { 1: [c, b], 2: [c] } });
  });

  it("of a prompt without references is empty", () => {
    expect(resolutionGraph(graphOf({ a: "plain" })).dependencies).toEqual({});
  });
});
