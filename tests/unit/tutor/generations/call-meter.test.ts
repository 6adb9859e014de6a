import { describe, expect, it } from "vitest";
import { type LlmUsage, noUsage } from "../../../../lib/platform/llm/provider.ts";
import { CallMeter } from "../../../../lib/tutor/generations/call-meter.ts";

const request = {
  model: "m",
  system: "x".repeat(400),
  messages: [{ role: "user" as const, content: "y".repeat(40) }],
};
const prices = { m: { input: 3, output: 15 } };

function usedBy(work: (meter: CallMeter) => void) {
  const meter = new CallMeter(request, prices);
  meter.start();
  work(meter);
  const { input, output, cache_read, cost, estimated } = JSON.parse(meter.used());
  return { input, output, cache_read, cost, estimated };
}

const said = (usage: Partial<LlmUsage>, text = "z".repeat(80)) =>
  usedBy((meter) => {
    meter.addText(text);
    meter.report({ ...noUsage, ...usage }, true);
  });

describe("the usage of a call", () => {
  it("is that of the provider, if it reported one", () => {
    expect(said({ input_tokens: 7, output_tokens: 3 })).toEqual({
      ...{ input: 7, output: 3, cache_read: 0, cost: 66, estimated: false },
    });
    expect(said({ cache_read_tokens: 7, output_tokens: 3 })).toMatchObject({ input: 0, estimated: false });
  });

  it.each<[Partial<LlmUsage>, object]>([
    [{}, { input: 110, output: 20, cost: 110 * 3 + 20 * 15 }],
    [{ input_tokens: 7 }, { input: 7, output: 20 }],
    [{ output_tokens: 3 }, { input: 110, output: 20 }],
    [{ cache_read_tokens: 7 }, { input: 0, output: 20, cache_read: 7 }],
  ])("of a complete answer with the usage %j is estimated at four characters a token", (usage, expected) => {
    expect(said(usage)).toMatchObject({ ...expected, estimated: true });
  });

  it("of an answer without text and without usage is none", () => {
    expect(said({}, "")).toMatchObject({ input: 0, output: 0, estimated: false });
    expect(usedBy(() => {})).toMatchObject({ input: 0, output: 0, estimated: false });
  });

  it("of an answer that broke off is estimated", () => {
    const used = usedBy((meter) => {
      meter.report({ ...noUsage, input_tokens: 7 });
      meter.addText("z".repeat(80));
    });
    expect(used).toMatchObject({ input: 7, output: 20, estimated: true });
  });

  it("of an answer that broke off within its thoughts is estimated", () => {
    const used = usedBy((meter) => {
      meter.listeners.onReceived(30);
      meter.listeners.onReceived(50);
    });
    expect(used).toMatchObject({ input: 110, output: 20, cost: 110 * 3 + 20 * 15, estimated: true });
  });

  it("of text counts once, received and said", () => {
    const used = usedBy((meter) => {
      meter.listeners.onReceived(80);
      meter.addText("z".repeat(60));
    });
    expect(used).toMatchObject({ output: 20 });
  });
});
