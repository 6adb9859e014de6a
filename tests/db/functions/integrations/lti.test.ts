import { expect, it } from "vitest";
import { openSession } from "../session.ts";

const { rows, value } = openSession();

const platform = () =>
  value(`insert into lti_platforms (university_id, name, issuer, client_id, auth_login_url, auth_token_url, jwks_url)
    values (1, 'LMS', 'https://lms.example.edu', 'c', 'https://lms.example.edu/a', 'https://lms.example.edu/t', 'https://lms.example.edu/k')
    returning id`) as Promise<number>;

const take = (id: number, deployment: string, nonce: string) =>
  value(`select process_lti_launch(${id}, '{"deployment_id": "${deployment}"}', '${nonce}', 'code', null,
                           '{"at": "2026-03-10T12:00:00Z"}')`);

it("process_lti_launch records an unknown deployment, accepts each nonce once, and accepts admitted deployments", async () => {
  const id = await platform();
  expect(await take(id, "1", "a")).toBe("waiting");
  expect(await take(id, "1", "b")).toBe("waiting");
  await rows("update lti_deployments set admitted_at = now()");
  expect(await take(id, "1", "c")).toBe("no_context");
  expect(await take(id, "1", "c")).toBe("replayed");
  expect(await take(id, "2", "b")).toBe("replayed");
  expect(await take(id + 1, "1", "c")).toBe("gone");
});

it("process_lti_launch notes twenty deployments that wait, and each that was admitted", async () => {
  const id = await platform();
  for (let n = 0; n < 25; n++) expect(await take(id, `d${n}`, `n${n}`)).toBe("waiting");
  expect(await value("select count(*)::int from lti_deployments")).toBe(20);
  await rows("update lti_deployments set admitted_at = now()");
  expect(await take(id, "d24", "m")).toBe("waiting");
  expect(await value("select count(*)::int from lti_deployments where admitted_at is null")).toBe(1);
});
