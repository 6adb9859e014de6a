import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { anthropicProvider } from "../../../../lib/platform/llm/anthropic.ts";
import { LlmError, type LlmMessage } from "../../../../lib/platform/llm/provider.ts";
import { AnswerChecks } from "../../../../lib/tutor/chat/answer-checks.ts";
import type { ContentContext } from "../../../../lib/tutor/chat/content-context.ts";
import type { Exchange } from "../../../../lib/tutor/chat/history.ts";
import { AnswerReader, findLastQuestion } from "../../../../lib/tutor/dialogue/answer-reader.ts";
import { moveRequest } from "../../../../lib/tutor/dialogue/move-requests.ts";
import { moveIds } from "../../../../lib/tutor/dialogue/moves.ts";
import { parseAnswerKey } from "../../../../lib/tutor/dialogue/read-key.ts";
import { passagesForPrompt } from "../../../../lib/tutor/passages/passages-for-prompt.ts";
import type { Question } from "../../../../schema/question.ts";
import { startPracticeTutor } from "../../../../scripts/dev/practice-tutor.ts";
import type { SeedModule } from "../../../../scripts/dev/seed/content.ts";
import { universities } from "../../../../scripts/dev/seed/universities.ts";
import { findTopicScript } from "../../../../scripts/dev/tutor-scripts/find-script.ts";
import { tutorAnswer } from "../../../../scripts/dev/tutoring.ts";

const itemsIn = ({ items = [], modules = [] }: SeedModule): string[] => [
  ...items.map(({ title }) => title),
  ...modules.flatMap(itemsIn),
];

/** The demonstration's topics, each with its course's language. */
const seededTopics = universities
  .flatMap(({ courses }) => courses)
  .flatMap(({ modules, language = "en" }) =>
    modules.flatMap(itemsIn).map((title): [string, string] => [title, language]),
  );

let tutor: Awaited<ReturnType<typeof startPracticeTutor>>;
beforeAll(async () => {
  tutor = await startPracticeTutor({ pauseMs: 0 });
});
afterAll(() => tutor.close());

const system =
  'You are a tutor.\n\nThe topic\n- Topic: "Graphs (and trees)" (lesson)\n- In short: "Nodes and edges."\n';

async function say(...contents: string[]): Promise<string[]> {
  const messages = contents.map(
    (content, i): LlmMessage => ({ role: i % 2 ? "assistant" : "user", content }),
  );
  const { url: baseURL } = tutor;
  const provider = anthropicProvider({
    apiKey: "any",
    model: "m",
    baseURL,
    maxTokens: 4096,
    timeoutMs: 60_000,
    silenceMs: { first: 60_000, between: 60_000 },
    tuning: { thinking: "off", promptCaching: true },
  });
  const chunks: string[] = [];
  for await (const event of provider.stream({ model: "m", system, messages }))
    if (event.type === "text") chunks.push(event.text);
    else expect(event).toMatchObject({ complete: true, stop_reason: "end_turn" });
  return chunks;
}

describe("the practice tutor", () => {
  it("greets with the topic's title and summary, in many pieces, and asks a first question", async () => {
    const chunks = await say("Start.");
    const answer = chunks.join("");
    expect(chunks.length).toBeGreaterThan(15);
    expect(answer).toContain("“Graphs (and trees)”");
    expect(answer).toContain("Nodes and edges.");
    expect(findLastQuestion(answer)).toMatchObject({
      questionId: "q1",
      question: expect.stringContaining("“Graphs (and trees)”"),
      options: [{ id: "A" }, { id: "B" }, { id: "C" }],
    });
  });

  it("has a script for each of the demonstration's topics, with three questions about it", () => {
    expect(seededTopics.length).toBeGreaterThan(15);
    for (const [title] of seededTopics) {
      const script = findTopicScript(title);
      expect(script?.questions, title).toHaveLength(3);
      for (const { options, right, believed, hint } of script?.questions ?? []) {
        expect(Object.keys({ ...believed, [right]: "" }).sort(), title).toEqual(Object.keys(options));
        expect(hint, title).toBeTruthy();
      }
    }
  });

  it("gives the hint of the question that is open, and the topic's own example", () => {
    const topic = `- Topic: "Shifting and scaling" (video)`;
    const helped = (content: string, ...before: string[]) =>
      tutorAnswer(
        {
          system: topic,
          messages: [...before, content].map((text, at) => ({
            role: at % 2 ? ("assistant" as const) : ("user" as const),
            content: text,
          })),
        },
        0,
      );
    const first = helped("Start.");
    const second = helped('{"answer":"A","questionId":"q1"}', "Start.", first);
    const script = findTopicScript("Shifting and scaling");
    expect(helped(moveRequest("@hint", "en"), "Start.", first)).toContain(script?.questions[0]?.hint);
    expect(
      helped(moveRequest("@hint", "en"), "Start.", first, '{"answer":"A","questionId":"q1"}', second),
    ).toContain(script?.questions[1]?.hint);
    expect(helped(moveRequest("@example", "en"), "Start.", first)).toBe(script?.example);
  });

  it.each([["Graphs", "en"], ["Graphs", "es"], ...seededTopics])(
    "passes the checks of shared answers about %s, along any path, in %s",
    (title, language) => {
      const template = "You teach.\n```mcq\n{}\n```";
      const about = `You are a tutor.\n\nThe topic\n- Topic: "${title}" (lesson)\n- In short: "Nodes and edges."\n`;
      const prompt = `${about}Write in the course's language (${language}), at the level.`;
      const topic = {
        ...{
          content_type: "text",
          title,
          description: "Nodes and edges.",
          data_json: {},
          language,
        },
      } as unknown as ContentContext;
      const talk = (picks: readonly string[], call: number) => {
        const exchanges: Exchange[] = [];
        for (const content of ["Start.", ...picks]) {
          const messages = [
            ...exchanges.flatMap(({ question, answer }) => [
              { role: "user" as const, content: question },
              { role: "assistant" as const, content: answer },
            ]),
            { role: "user" as const, content },
          ];
          const reader = new AnswerReader();
          const text = [
            ...reader.take(tutorAnswer({ system: prompt, messages }, call)),
            ...reader.end(),
          ].join("");
          const { question, keys: writtenKeys } = reader;
          const key = question && parseAnswerKey(question, writtenKeys);
          const request = { model: "m", system: template, messages };
          const checks = new AnswerChecks(
            {
              topic,
              prompt: { template },
              exchanges: [...exchanges],
              move: null,
              request,
              maxMaterial: 1000,
            },
            { error: (fault: unknown) => expect.unreachable(JSON.stringify(fault)) },
          );
          expect(checks.failuresOf({ text, question, key, writtenKeys, stop: null })).toEqual([]);
          exchanges.push({ question: content, answer: text, ...(key && { key }) });
        }
      };
      for (const call of [0, 1, 2])
        for (const option of ["A", "B", "C"])
          talk(
            [1, 2, 3, 4, 5].map((number) => JSON.stringify({ answer: option, questionId: `q${number}` })),
            call,
          );
    },
  );

  it("digresses if a line of the prompt asks for it, and repeats the question", async () => {
    const messages = [{ role: "user" as const, content: "Start." }];
    const wordy = tutorAnswer({ system: `${system}\nAnswer at great length.\n`, messages }, 0);
    const short = tutorAnswer({ system: `${system}\nDo not say: Answer at great length.`, messages }, 0);
    expect(wordy.length).toBeGreaterThan(3 * short.length);
    expect(findLastQuestion(wordy)).toEqual(findLastQuestion(short));
  });

  it("never greets twice in the same words, and asks the same first question, as a real model may", async () => {
    const [one, other] = [(await say("Start.")).join(""), (await say("Start.")).join("")];
    expect(one).not.toBe(other);
    expect(findLastQuestion(one)).toEqual(findLastQuestion(other));
  });

  it("comments on a choice, right or wrong, and asks the next question", async () => {
    const right = (await say("Start.", "…", '{"answer":"B","questionId":"q1"}')).join("");
    expect(right).toMatch(/^(Yes, B|Indeed, B|Well thought: B)/);
    expect(findLastQuestion(right)).toMatchObject({ questionId: "q2" });
    const wrong = (await say("Start.", "…", '{"answer":"A","questionId":"q7"}')).join("");
    expect(wrong).toMatch(/“A”.+ C/);
    expect(findLastQuestion(wrong)).toMatchObject({ questionId: "q8" });
  });

  it("gives the key of each question, with its correct option and misconceptions", async () => {
    for (let number = 0; number < 5; number++) {
      const answer = (await say("Start.", "…", `{"answer":"A","questionId":"q${number}"}`)).join("");
      const question = findLastQuestion(answer);
      const [, key = ""] = /```key\n(.+)\n```$/.exec(answer) ?? [];
      const { answer: right, misconceptions } = parseAnswerKey(question as Question, [key]) ?? {};
      expect(question?.options.map(({ id }) => id)).toEqual(
        expect.arrayContaining([right, ...(misconceptions ?? []).map(({ id }) => id)]),
      );
      expect(misconceptions).toHaveLength(2);
    }
  });

  it.each(moveIds)("helps on %s, and repeats no question", async (move) => {
    const answer = (await say("Start.", "…", moveRequest(move, "es"))).join("");
    expect(answer).not.toMatch(/```|@|Yes|Not quite/);
    expect(answer.length).toBeGreaterThan(40);
  });

  it("cites the first passage below a free text", async () => {
    const passages = [1, 2].map((number) => ({
      number,
      title: "Trees, again",
      place: { block: 2 },
      body: "…",
      perhaps: true,
    }));
    const answer = (await say("Start.", "…", `Why?${passagesForPrompt(passages)}`)).join("");
    expect(answer).toContain("“Trees, again, block 2” [§1]");
    expect(answer).not.toContain("[§2]");
    expect((await say("Start.", "…", "Why?")).join("")).not.toContain("§");
  });

  it("answers anything else with a question back", async () => {
    for (const message of ["I do not get it", '{"type":"followup","questionId":"q1","answer":"B"}', "[1]"]) {
      const answer = (await say("Start.", "…", message)).join("");
      expect(answer).toContain("?");
      expect(findLastQuestion(answer)).toBeUndefined();
    }
  });

  it("rejects unsupported requests, like the Messages API", async () => {
    const provider = anthropicProvider({
      apiKey: "any",
      model: "m",
      baseURL: `${tutor.url}/elsewhere`,
      maxTokens: 1,
      timeoutMs: 60_000,
      silenceMs: { first: 60_000, between: 60_000 },
      tuning: { thinking: "off", promptCaching: true },
    });
    const events = provider.stream({ model: "m", system, messages: [] });
    await expect(events[Symbol.asyncIterator]().next()).rejects.toThrow(LlmError);
  });
});
