import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { excessAtEachWidth, violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { makersOf } from "../../support/makers.ts";
import { png } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { drop, isDrawn, paste, pasteHtml } from "./files.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const picture = (name: string) => ({ name, type: "image/png", bytes: png });

/** What Word puts on the clipboard: list items without lists, conditional comments, styles and a local picture. */
const fromWord = `<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p.MsoNormal {margin: 0cm}</style></head>
<body lang=EN-GB style='tab-interval:36.0pt'><!--StartFragment-->
<h2 style='mso-margin-top-alt:auto'><span style='font-family:"Aptos Display"'>Waves<o:p></o:p></span></h2>
<p class=MsoNormal><b style='mso-bidi-font-weight:normal'><span lang=EN-US>Strong</span></b><span style='mso-spacerun:yes'> </span>words.<o:p></o:p></p>
<p class=MsoListParagraphCxSpFirst style='text-indent:-18.0pt;mso-list:l0 level1 lfo1'><![if !supportLists]><span style='font-family:Symbol'><span style='mso-list:Ignore'>·<span style='font:7.0pt "Times New Roman"'>&nbsp;&nbsp; </span></span></span><![endif]>length</p>
<p class=MsoListParagraphCxSpMiddle style='margin-left:72.0pt;mso-list:l0 level2 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>1.<span>&nbsp;&nbsp; </span></span><![endif]>in meters</p>
<p class=MsoListParagraphCxSpLast style='mso-list:l0 level1 lfo1'><![if !supportLists]><span style='mso-list:Ignore'>·<span>&nbsp;&nbsp; </span></span><![endif]>height</p>
<table class=MsoTableGrid border=1><tr><td width=300 style='border:solid windowtext 1.0pt'><p class=MsoNormal>f</p></td><td><p class=MsoNormal>A<o:p></o:p></p></td></tr></table>
<p class=MsoNormal><img width=100 src="file:///C:/Users/me/AppData/image001.png"></p>
<!--EndFragment--></body></html>`;

const cleanWord = `## Waves

**Strong** words.

* length
  1. in meters
* height

| f | A |
| --- | --- |`;

describe.skipIf(!systemBrowser)("the editor of texts, in a browser", () => {
  const world = openWorld();
  const make = makersOf(world);
  const browser = openBrowser(world);
  // The browser's own clock decides when an address expires.
  beforeAll(() => world.setNow(new Date()));

  async function openText(blocks: object[] = [], type = "text") {
    const university = await make.university();
    const course = await make.course(university.id);
    const module = await make.module(course.id);
    const author = await make.holder("instructor", university.id);
    const item = await make.contentItem(module, university.id, { type, data_json: { blocks } });
    const visit = await visitAs(world, browser, author, `authoring/${course.id}/items/${item.id}`);
    const text = visit.page.getByRole("textbox", { name: "Text", exact: true });
    await text.waitFor();
    const stored = async () => (await world.as(author).get(`/content/${item.id}`)).body.data_json;
    return { ...visit, text, stored, author };
  }

  const markdownOf = (data: { blocks: { text?: string }[] }) =>
    data.blocks.map(({ text }) => text).join("\n\n");

  /** Types, with the cursor where it is: a locator's own typing focuses the element first. */
  const typed = (page: Page, words: string) => page.keyboard.type(words);

  it("writes Markdown from typing and tools: headings, lists, formulas, links and tables", async () => {
    const { page, text, stored, complaints } = await openText();
    await text.click();
    await typed(page, "## Waves\nA wave has a length $\\lambda$, and ");
    await page.keyboard.press("Control+b");
    await typed(page, "energy");
    await page.keyboard.press("Control+b");
    await typed(page, ".\n- first\nsecond");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await press(page, "Formula");
    await page.getByLabel("Formula in LaTeX").pressSequentially("v = \\lambda f");
    await page.getByLabel("On its own line").check();
    await page.getByLabel("Formula in LaTeX").press("Enter");
    await page.locator(".node-formula math[display=block]").waitFor();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await typed(page, "More");
    await page.keyboard.press("Shift+Home");
    await page.keyboard.press("Control+k");
    const address = page.getByLabel("Address", { exact: true });
    await address.pressSequentially("javascript:alert(1)");
    await address.press("Enter");
    await page.getByText("Enter a web address").waitFor();
    await address.fill("waves.example/a(b)");
    await address.press("Enter");
    await press(page, "Table");
    await typed(page, "f");
    await page.keyboard.press("Tab");
    await typed(page, "A|B");
    await page.keyboard.press("Tab");
    await typed(page, "C");
    await press(page, "Add row");
    await press(page, "Undo");
    await press(page, "Redo");
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    await press(page, "Save");
    await saved(page);
    expect(await stored()).toEqual({
      blocks: [
        { type: "paragraph", text: "## Waves\n\nA wave has a length $\\lambda$, and **energy**." },
        { type: "paragraph", text: "* first\n* second" },
        { type: "math", latex: "v = \\lambda f" },
        { type: "paragraph", text: "[More](https://waves.example/a%28b%29)" },
        {
          type: "paragraph",
          text: `| f | A\\|B | C |\n| --- | --- | --- |${"\n|  |  |  |".repeat(3)}`,
        },
      ],
    });
    expect(complaints).toEqual([]);
  });

  it("takes pictures by paste and drop, each with a description, and waits for them before it saves", async () => {
    const { page, text, stored, complaints } = await openText([{ type: "paragraph", text: "Look:" }]);
    await text.click();
    await paste(page, text, [picture("pasted.png")]);
    await drop(page, text, [picture("dropped.png")]);
    await press(page, "Save");
    await saved(page);
    const { blocks } = await stored();
    expect(blocks).toEqual([
      { type: "paragraph", text: "Look:" },
      { type: "image", file_id: expect.any(Number), caption: "pasted" },
      { type: "image", file_id: expect.any(Number), caption: "dropped" },
    ]);
    await expect.poll(() => isDrawn(text.locator("figure img"))).toBe(true);
    await text.locator("figure").first().click();
    await page.getByLabel("Description", { exact: true }).first().fill("A wave");
    await press(page, "Save");
    await expect.poll(async () => (await stored()).blocks[1].caption).toBe("A wave");
    expect(complaints).toEqual([]);
  });

  it("pastes from Word without its markup, and names pictures that only Word has", async () => {
    const { page, text, stored, complaints } = await openText();
    await text.click();
    await pasteHtml(page, text, fromWord, "Waves Strong words.");
    await page.getByText("1 picture was not pasted.").waitFor();
    expect(await text.innerHTML()).not.toMatch(/mso|style=|class="Mso|<o:p/i);
    await press(page, "Save");
    await saved(page);
    expect(markdownOf(await stored())).toBe(cleanWord);
    expect(complaints).toEqual([]);
  });

  it("keeps unedited parts as they were stored, and Markdown that it cannot show as Markdown", async () => {
    const raw = "Before <kbd>Ctrl</kbd>\n\n<details><summary>More</summary>Hidden</details>";
    const before = [
      { type: "paragraph", text: "_Old_ style\n\n- with\n- a list" },
      { type: "link_list", items: [{ label: "A book", url: "https://books.example/" }] },
      { type: "paragraph", text: raw },
      { type: "math", latex: "a" },
    ];
    const { page, text, stored, complaints } = await openText(before);
    await text.locator("details").waitFor({ state: "attached" });
    await text.locator(".node-formula").click();
    await page.getByLabel("Formula in LaTeX").fill("b");
    await press(page, "Save");
    await saved(page);
    expect(await stored()).toEqual({ blocks: [...before.slice(0, 3), { type: "math", latex: "b" }] });
    await text.locator(".node-source").click();
    await page.getByLabel("Markdown", { exact: true }).fill("Only <kbd>Ctrl</kbd>");
    await press(page, "Save");
    await expect.poll(async () => (await stored()).blocks[2].text).toBe("Only <kbd>Ctrl</kbd>");
    expect(complaints).toEqual([]);
  });

  it("keeps unsaved text over a reload, and discards it on request", async () => {
    const { page, text, complaints } = await openText([{ type: "paragraph", text: "Stored." }]);
    await text.click();
    await page.keyboard.press("Control+End");
    await typed(page, " And more");
    // Without waiting for a frame.
    const isKeptAtOnce = await page.evaluate(async () => {
      document.execCommand("insertText", false, ".");
      const { port1, port2 } = new MessageChannel();
      await new Promise((resolve) => {
        port1.onmessage = resolve;
        port2.postMessage("next");
      });
      return Object.values(localStorage).some((draft) => draft.includes("And more."));
    });
    expect(isKeptAtOnce).toBe(true);
    await page.reload();
    await expect.poll(() => text.innerText()).toBe("Stored. And more.");
    await press(page, "Discard draft");
    await expect.poll(() => text.innerText()).toBe("Stored.");
    expect(complaints).toEqual([]);
  });

  it("asks a video for a link or a file, takes captions with it, and has JSON only under Advanced", async () => {
    const university = await make.university();
    const course = await make.course(university.id);
    const module = await make.module(course.id);
    const author = await make.holder("instructor", university.id);
    const item = await make.contentItem(module, university.id, { type: "video", data_json: {} });
    const { page, complaints } = await visitAs(
      world,
      browser,
      author,
      `authoring/${course.id}/items/${item.id}`,
    );
    const video = page.getByRole("group", { name: "Video" });
    const link = video.getByLabel("Link to the video");
    await link.pressSequentially("https://youtu.be/dQw4w9WgXcQ");
    await page.getByText("YouTube").first().waitFor();
    expect(await video.getByText("Or upload a video").count()).toBe(0);
    await video.getByLabel("Captions").setInputFiles({
      ...{ name: "captions.vtt", mimeType: "text/vtt" },
      buffer: Buffer.from("WEBVTT\n\n00:01.000 --> 00:02.000\nLook.\n"),
    });
    await page.getByText("Captions read: 1.").waitFor();
    expect(await page.getByLabel("Content as JSON").count()).toBe(0);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(await excessAtEachWidth(page)).toEqual([]);
    await press(page, "Save");
    await saved(page);
    expect((await world.as(author).get(`/content/${item.id}`)).body.data_json).toMatchObject({
      ...{ provider: "youtube", video_id: "dQw4w9WgXcQ", url: "https://youtu.be/dQw4w9WgXcQ" },
      transcript: { segments: [{ text: "Look." }] },
    });
    await press(page, "Replace the video");
    await video.getByText("Or upload a video").waitFor();
    await page.getByText("Advanced").click();
    await page.getByLabel("Content as JSON").waitFor();
    expect(complaints.filter((complaint) => !complaint.includes("youtube"))).toEqual([]);
  });
});
