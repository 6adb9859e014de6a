import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { courses } from "../../../schema/db/courses/courses.ts";
import { courseOfferings } from "../../../schema/db/courses/offerings.ts";
import { userUniversityRoles } from "../../../schema/db/identity/roles.ts";
import { users } from "../../../schema/db/identity/users.ts";
import { violationsOnEachSize } from "../../support/accessibility.ts";
import { systemBrowser } from "../../support/browser.ts";
import { openStaffDemonstration, signInAs } from "./demonstration.ts";

describe.skipIf(!systemBrowser)("teachers and administrators, in a browser", () => {
  const { world, browser } = openStaffDemonstration();

  it("are offered nothing that is for others: a department's administrator, an instructor, and an assistant", async () => {
    const { db } = world.deps;
    const [noor] = await db.select().from(users).where(eq(users.email, "noor@northgate.example"));
    const role = { user_id: noor?.id ?? 0, university_id: 1, department_id: 1 };
    await db.insert(userUniversityRoles).values({ ...role, role: "DEPARTMENT_ADMIN" });
    await world
      .as(noor)
      .post("/universities/1/roles", { email: "helena@northgate.example", role: "TA", department_id: 1 });

    const { page, complaints } = await browser.visit("/app#/administration/1/roles");
    await signInAs(page, "noor@northgate.example");
    await page.getByRole("button", { name: "Revoke: Helena Brandt, Teaching assistant" }).waitFor();
    expect(await page.getByRole("button", { name: /^Revoke/ }).count()).toBe(1);
    const deletes = page.getByRole("button", { name: "Delete the course" });
    const all = await db.select().from(courses).where(eq(courses.university_id, role.university_id));
    const own = all.find(({ department_id }) => department_id === role.department_id)?.id;
    const others = all.find(({ department_id }) => department_id !== role.department_id)?.id;
    await page.evaluate(`location.hash = "#/authoring/${own}/settings"`);
    await deletes.waitFor();
    await page.evaluate(`location.hash = "#/authoring/${others}/settings"`);
    await deletes.waitFor({ state: "detached" });
    expect(complaints).toEqual([]);

    const instructor = await browser.visit(`/app#/authoring/${own}/settings`);
    await signInAs(instructor.page, "helena@northgate.example");
    await instructor.page.getByText("Copy the course").first().waitFor();
    expect(await instructor.page.getByRole("button", { name: "Delete the course" }).count()).toBe(0);
    expect(instructor.complaints).toEqual([]);

    const assistant = await browser.visit("/app#/teaching/1/1/gradebook");
    await signInAs(assistant.page, "kofi@northgate.example");
    await assistant.page.getByRole("button", { name: "Save as CSV" }).waitFor();
    for (const name of ["Finalize grades", "Withdraw the grades of Weighted grades", "Release all"])
      expect(await assistant.page.getByRole("button", { name, exact: true }).count()).toBe(0);
    expect(await assistant.page.getByRole("link", { name: "Grading", exact: true }).count()).toBe(0);
    expect(await violationsOnEachSize(assistant.page)).toEqual([]);

    // An instructor in one department remains an assistant in others.
    const [kofi] = await db.select().from(users).where(eq(users.email, "kofi@northgate.example"));
    const first = all.find(({ id }) => id === 1);
    const elsewhere = all.find(({ department_id: its }) => its !== null && its !== first?.department_id);
    const second = { user_id: kofi?.id ?? 0, university_id: 1, department_id: elsewhere?.department_id ?? 0 };
    await db.insert(userUniversityRoles).values({ ...second, role: "INSTRUCTOR" });
    await assistant.page.reload();
    await assistant.page.getByRole("button", { name: "Save as CSV" }).waitFor();
    await assistant.page.waitForLoadState("networkidle");
    expect(await assistant.page.getByRole("button", { name: "Finalize grades" }).count()).toBe(0);
    const [run] = await db
      .select()
      .from(courseOfferings)
      .where(eq(courseOfferings.course_id, elsewhere?.id ?? 0));
    await assistant.page.evaluate(`location.hash = "#/teaching/${elsewhere?.id}/${run?.id}/gradebook"`);
    await assistant.page.getByRole("button", { name: "Finalize grades" }).waitFor();
    expect(assistant.complaints).toEqual([]);
  });
});
