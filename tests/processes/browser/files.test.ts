import type { Page } from "playwright-core";
import { beforeAll, describe, expect, it } from "vitest";
import { violationsAlsoNarrow } from "../../support/accessibility.ts";
import { openBrowser, systemBrowser } from "../../support/browser.ts";
import { openLab } from "../../support/lab.ts";
import { makersOf } from "../../support/makers.ts";
import { png, sendFile } from "../../support/send-file.ts";
import { openWorld } from "../../support/world.ts";
import { chosen, drop, type Given, isDrawn, paste, text } from "./files.ts";
import { press, saved } from "./steps.ts";
import { visitAs } from "./visit-as.ts";

const picture: Given = { name: "image.png", type: "image/png", bytes: png };

async function holdStore(page: Page) {
  let letGo = () => {};
  const gone = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let held = 0;
  await page.route("**/stored/**", async (route) => {
    if (route.request().method() === "PUT") {
      held += 1;
      await gone;
    }
    await route.continue().catch(() => {}); // It was canceled.
  });
  return { letGo, held: () => held };
}

describe.skipIf(!systemBrowser)("files in a browser", () => {
  const world = openWorld();
  const browser = openBrowser(world);

  // The browser's own clock decides when an address expires.
  beforeAll(() => world.setNow(new Date()));

  it("are dropped, one cancelled, continue after a network failure, and are graded with a feedback file", async () => {
    const lab = await openLab(world);
    const learning = `courses/${lab.course.id}/${lab.offering.id}/${lab.paper.id}`;
    const { page, complaints } = await visitAs(world, browser, lab.learner, learning);
    const field = page.getByRole("group", { name: "Files" });
    await field.waitFor();
    await field.getByText("Up to 100 MB each, 20 files at most.").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    const store = await holdStore(page);
    await drop(page, field, [
      text("measured.txt", "They interfere."),
      text("draft.txt", "Not this one."),
      text("table.csv", "f;A\n1;2"),
    ]);
    await expect.poll(store.held).toBe(3);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await press(page, "Cancel draft.txt");
    await expect.poll(() => field.getByRole("listitem").count()).toBe(2);
    await page.context().setOffline(true);
    store.letGo();
    await page.getByText("No internet connection.").waitFor();
    await page.context().setOffline(false);
    await expect.poll(() => field.getByText("uploaded").count()).toBe(2);
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    await press(page, "Hand in");
    await page.getByText("Handed in.").waitFor();
    const handed = page.getByRole("list", { name: "Files" }).first();
    await handed.getByRole("link", { name: "measured.txt" }).waitFor();
    expect((await handed.getByRole("link").allInnerTexts()).sort()).toEqual(["measured.txt", "table.csv"]);
    expect(complaints.filter((one) => !one.includes("ERR_INTERNET_DISCONNECTED"))).toEqual([]);

    const mine = await world
      .as(lab.learner)
      .get(`/assessments/my-submissions?content_item_id=${lab.paper.id}`);
    const [{ id }] = mine.body;
    const grading = `teaching/${lab.course.id}/${lab.offering.id}/submissions/${id}`;
    const { page: graders } = await visitAs(world, browser, lab.assistant, grading);
    const work = graders.getByRole("article", { name: "Work", exact: true });
    await work.getByRole("link", { name: "measured.txt" }).waitFor();
    expect(await work.getByRole("listitem").count()).toBe(2);
    const address = await work.getByRole("link", { name: "measured.txt" }).getAttribute("href");
    expect(await (await fetch(address ?? "")).text()).toBe("They interfere.");
    await graders.getByLabel(/^Points/).fill("70");
    await graders.getByLabel("Choose files").setInputFiles(chosen(text("comments.txt", "Mind the units.")));
    await press(graders, "Save the grade");
    await graders.getByRole("link", { name: "comments.txt" }).waitFor();
    expect(await violationsAlsoNarrow(graders)).toEqual([]);
    expect((await lab.read(id, lab.assistant)).body.feedback_files).toMatchObject([{ name: "comments.txt" }]);

    expect((await lab.release()).status).toBe(200);
    await page.reload();
    await page.getByText("Feedback", { exact: true }).waitFor();
    const comments = page.getByRole("list", { name: "Files with the feedback" }).getByRole("link");
    const opened = page.waitForEvent("popup");
    await comments.click();
    await (await opened).getByText("Mind the units.").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
  });

  it("are rejected at their place, and block the form", async () => {
    const lab = await openLab(world);
    const learning = `courses/${lab.course.id}/${lab.offering.id}/${lab.paper.id}`;
    const { page } = await visitAs(world, browser, lab.learner, learning);
    const field = page.getByRole("group", { name: "Files" });
    await field
      .getByLabel("Choose files")
      .setInputFiles([chosen(text("empty.txt", "")), chosen(text("full.txt", "x"))]);
    await field.getByText("The file is empty.").waitFor();
    await field.getByText("uploaded").waitFor();
    await press(page, "Hand in");
    await page.getByText("1 file was not uploaded. Try again, or remove it.").waitFor();
    await press(page, "Remove empty.txt");
    await press(page, "Hand in");
    await page.getByText("Handed in.").waitFor();
    await page.getByRole("link", { name: "full.txt" }).waitFor();
    expect(await field.getByRole("listitem").count()).toBe(0);
  });

  it("are pasted into a post, and the picture is shown next to its author's text", async () => {
    const lab = await openLab(world);
    const { page, complaints } = await visitAs(world, browser, lab.learner, "account");
    const own = page.getByRole("region", { name: "My picture" });
    const page404 = {
      name: "me.png",
      type: "image/png",
      bytes: Buffer.from("<html><script>1</script></html>"),
    };
    await own.getByLabel("Choose a file").setInputFiles(chosen(page404));
    await own.getByText("A picture must be PNG, JPEG or WebP, and this is text/html").waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    await own.getByLabel("Choose a file").setInputFiles(chosen({ ...picture, name: "me.png" }));
    await page.locator(".top img.avatar").waitFor();
    await expect.poll(() => isDrawn(page.locator("img.avatar"))).toBe(true);
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    const thread = await world.as(lab.assistant).post(`/community/offerings/${lab.offering.id}/threads`, {
      title: "Beats",
      body: "Who has heard them?",
    });
    const discussion = `courses/${lab.course.id}/${lab.offering.id}/discussions/${thread.body.id}`;
    await page.goto(new URL(`/app#/${discussion}`, browser.url()).href);
    await page.getByLabel("Your reply").fill("Here they are:");
    await paste(page, page.getByLabel("Your reply"), [picture]);
    await page.getByText("uploaded").waitFor();
    await press(page, "Post");
    const post = page.getByRole("article").filter({ hasText: "Here they are:" });
    await post.locator(".file img").waitFor();
    await expect.poll(() => isDrawn(post.locator("img"))).toBe(true);
    expect(await post.locator("img.avatar").count()).toBe(1);
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    expect(complaints.filter((one) => !one.includes("400"))).toEqual([]);
  });

  it("are put into content by authors, and seen by learners with one request for their addresses", async () => {
    const lab = await openLab(world);
    const { page } = await visitAs(
      world,
      browser,
      lab.teacher,
      `authoring/${lab.course.id}/items/${lab.paper.id}`,
    );
    await press(page, "Add a link");
    await page
      .getByRole("group", { name: "File", exact: true })
      .getByLabel("Choose a file")
      .setInputFiles(chosen(text("sheet.txt", "Measure the edges.")));
    await press(page, "Save");
    await saved(page);
    await page
      .getByRole("region", { name: "What learners see" })
      .getByRole("link", { name: "sheet.txt" })
      .waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);
    const stored = await world.as(lab.teacher).get(`/content/${lab.paper.id}`);
    expect(stored.body.data_json.resources).toMatchObject([{ label: "sheet.txt" }]);

    const teacher = world.as(lab.teacher);
    const ofCourse = { purpose: "ASSET", course_id: lab.course.id, name: "p.png", media_type: "image/png" };
    const sent = await Promise.all([1, 2].map(() => sendFile(world.deps, teacher, ofCourse, png)));
    const blocks = sent.map(({ body }) => ({ type: "image", file_id: body.id, caption: `Of ${body.id}` }));
    const data_json = { ...stored.body.data_json, blocks };
    const { version } = stored.body;
    const written = await teacher.put(
      `/content/${lab.paper.id}`,
      { data_json },
      { headers: { "If-Match": `"${version}"` } },
    );
    expect(written.status).toBe(200);

    const learning = `courses/${lab.course.id}/${lab.offering.id}/${lab.paper.id}`;
    const { page: learners } = await visitAs(world, browser, lab.learner, learning);
    let requests = 0;
    learners.on("request", (request) => {
      if (request.url().endsWith("/files/addresses")) requests += 1;
    });
    await learners.locator("figure img").nth(1).waitFor();
    await expect.poll(() => isDrawn(learners.locator("figure img"))).toBe(true);
    await learners.getByRole("link", { name: "sheet.txt" }).waitFor();
    expect(requests).toBe(1);
    expect(await violationsAlsoNarrow(learners)).toEqual([]);
  });

  it("that are too large for a request are sent before they are imported", async () => {
    const lab = await openLab(world);
    const gradebook = `teaching/${lab.course.id}/${lab.offering.id}/gradebook`;
    const { page } = await visitAs(world, browser, lab.teacher, gradebook);
    const promised: unknown[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/api/v1/files")) promised.push(request.postDataJSON());
    });
    await page.getByText("Import grades from a file").click();
    const note = "x".repeat(900);
    const others = Array.from({ length: 900 }, (_, at) => `${at + 1_000_000},,${note}`);
    const rows = [`user_id,${lab.lab.id} Lab,note`, `${lab.learner.id},17.5,`, ...others];
    const grades = text("grades.csv", rows.join("\n"));
    await page.getByLabel("CSV file").setInputFiles(chosen({ ...grades, type: "text/csv" }));
    await page.getByLabel("Reason (recorded)").fill("On paper");
    await press(page, "Start");
    await page.getByText("Dry run 1 changed, 0 unchanged, 0 rejected.").waitFor();
    expect(promised).toEqual([
      expect.objectContaining({ purpose: "IMPORT", course_id: lab.course.id, name: "grades.csv" }),
    ]);
  });

  it("include films, and the address of another site's film is recognized when it is pasted", async () => {
    const lab = await openLab(world);
    const film = await makersOf(world).contentItem(lab.module, lab.university.id, { type: "video" });
    const { page } = await visitAs(
      world,
      browser,
      lab.teacher,
      `authoring/${lab.course.id}/items/${film.id}`,
    );
    await page.getByLabel("Link to the video").fill("youtu.be/dQw4w9WgXcQ?t=1m30s");
    await page.getByText("A YouTube video, which plays here.").waitFor();
    await expect
      .poll(() => page.locator("iframe.video").getAttribute("src"))
      .toBe("https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ?start=90");
    await press(page, "Save");
    await saved(page);
    await page.getByLabel("Link to the video").fill("https://example.edu/film");
    await page.getByText("No video was found at this address").waitFor();
    await press(page, "Replace the video");
    const words = text("film.mp4", "\0\0\0\u0018ftypisom\0\0\u0002\0isommp41 no frames");
    await page.getByLabel("Choose a file").setInputFiles(chosen({ ...words, type: "video/mp4" }));
    await page.getByText("uploaded").waitFor();
    await press(page, "Save");
    await saved(page);
    const stored = await world.as(lab.teacher).get(`/content/${film.id}`);
    expect(stored.body.data_json).toEqual({ provider: "internal", file_id: expect.any(Number) });
    // Its bytes are not playable, so it is a link.
    await page.getByText("The video cannot be played here.").waitFor();
    await page.getByRole("link", { name: "Open the video" }).waitFor();
    expect(await violationsAlsoNarrow(page)).toEqual([]);

    const { file_id } = stored.body.data_json;
    const of = { file_id, asset_type: "video", university_id: lab.university.id };
    const asset = await world.as(lab.teacher).post("/assets", of);
    const written = await world
      .as(lab.teacher)
      .put(
        `/content/${film.id}`,
        { data_json: { asset_id: asset.body.id } },
        { headers: { "If-Match": `"${stored.body.version}"` } },
      );
    expect([asset.status, written.status]).toEqual([201, 200]);
    await page.reload();
    const link = page.getByRole("link", { name: "Open the video" });
    expect(await link.getAttribute("href")).toContain("/stored/objects/");
  });
});
