import { setImmediate as turn } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { EventStream } from "../../../lib/http/sse.ts";

function notebook() {
  const written: string[] = [];
  return {
    written,
    write: (text: string) => written.push(text),
    end: (text: string) => written.push(`${text}|`),
  };
}

describe("a stream of events", () => {
  it("keeps what is sent until it is said where it goes to", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.send("one ");
    await turn();
    stream.sendTo(sink);
    expect(sink.written).toEqual(["one "]);
  });

  it("writes what is sent in one go at once, and its end with the last of it", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.sendTo(sink);
    stream.send("one ");
    stream.send("two ");
    await turn();
    stream.send("three");
    stream.end();
    await turn();
    expect(sink.written).toEqual(["one two ", "three|"]);
  });

  it("leaves as a whole when it has ended before", async () => {
    const stream = new EventStream();
    stream.send("all");
    stream.end();
    expect(await stream.toResponse().text()).toBe("all");
  });

  it("drops what comes after its reader has gone away", async () => {
    const stream = new EventStream();
    const sink = notebook();
    stream.sendTo(sink);
    stream.leave();
    stream.send("unheard");
    await turn();
    stream.end();
    expect(sink.written).toEqual([]);
  });

  it("goes on without its reader where it is a stream of the web's kind", async () => {
    const stream = new EventStream();
    await stream.toResponse().body?.cancel();
    stream.send("unheard");
    expect(() => stream.end()).not.toThrow();
  });
});
