import { describe, expect, it } from "vitest";
import { draftConditionMutants, draftRejectionMutants } from "../../../proof/mutation-check/conditions.ts";
import { draftEndpointContractMutants } from "../../../proof/mutation-check/endpoint-contracts.ts";
import {
  applyEdits,
  type MutantDraft,
  mutantsFromDrafts,
  splitIntoNonOverlappingSets,
} from "../../../proof/mutation-check/mutant.ts";
import { draftPolicyRuleMutants } from "../../../proof/mutation-check/policy.ts";
import {
  draftSqlRoutineMutants,
  draftSqlStatementMutants,
  draftTenantIsolationMutants,
} from "../../../proof/mutation-check/sql.ts";
import { draftSchemaMutants } from "../../../proof/mutation-check/validation.ts";

/** A source's mutants, with their operators. */
const results = (source: string, faults: readonly MutantDraft[]) =>
  faults.map(({ operator, edit }) => `${operator}: ${applyEdits(source, [edit])}`);

function within(body: string, faultsOf: (source: string) => MutantDraft[]): string[] {
  const [begin, end] = ["const f = async () => {", "}"];
  return results(`${begin}${body}${end}`, faultsOf(`${begin}${body}${end}`)).map((result) =>
    result.replace(begin, "").slice(0, -1),
  );
}

describe("faults of conditions", () => {
  const conditions = (body: string) => within(body, (source) => draftConditionMutants(source, "guards"));

  it("drop an operand, a negation, or one side of a bound", () => {
    expect(conditions("return a && !b;")).toEqual([
      "operand dropped: return a;",
      "operand dropped: return !b;",
      "not dropped: return a && b;",
    ]);
    expect(conditions("return a < b;")).toEqual(["bound moved: return a <= b;"]);
    expect(conditions("return a === b ? c : d;")).toEqual([
      "branch inverted: return !(a === b) ? c : d;",
      "equality inverted: return a !== b ? c : d;",
    ]);
  });

  it("are none outside of functions, where nothing is decided", () => {
    expect(draftConditionMutants("const wide = a && b;", "guards")).toEqual([]);
  });
});

describe("faults of refusals", () => {
  const refusals = (body: string) => within(body, (source) => draftRejectionMutants(source, "guards"));

  it("no longer throw, and no longer ensure", () => {
    expect(refusals("if (a) throw b();")).toEqual(["refusal dropped: if (false) throw b();"]);
    expect(refusals("if (a) { log(); throw b(); }")).toEqual([
      "refusal dropped: if (false) { log(); throw b(); }",
    ]);
    expect(refusals("ensure(actor, a);")).toEqual(["check dropped: undefined;"]);
    expect(refusals("await ensurePermittedInOffering(db);")).toEqual(["check dropped: undefined;"]);
  });

  it("leave other branches and calls alone", () => {
    expect(refusals("if (a) return b; note(c);")).toEqual([]);
  });
});

describe("faults of contracts", () => {
  it("weaken the guard and drop the scope", () => {
    // Composed, because the architecture test would read a literal import as this file's.
    const guards = JSON.stringify("../../../lib/identity/auth/guards.ts");
    const imported = `import { permittedTo } from ${guards};`;
    const contract =
      'export const one = endpoint({ id: "one", ...permittedTo("course:write"), scope: "x", ...ok(y) }, f);';
    expect(results(contract, draftEndpointContractMutants(contract))).toEqual([
      contract.replace('scope: "x"', "scope: undefined").replace(/^/, "scope dropped: "),
    ]);
    const source = `${imported}\n${contract}`;
    const weaker = `...(await import(${guards})).signedIn`;
    expect(results(source, draftEndpointContractMutants(source))[0]).toBe(
      `guard weakened: ${source.replace('...permittedTo("course:write")', weaker)}`,
    );
  });
});

describe("faults of the policy", () => {
  it("change the least role and the scope, and drop the conflict of interest", () => {
    const source = 'const policy = { "a:b": inOfferingsOfOthers(forItsDepartment("ta")) };';
    const rule = (text: string) => source.replace('inOfferingsOfOthers(forItsDepartment("ta"))', text);
    expect(results(source, draftPolicyRuleMutants(source))).toEqual([
      `staff who learn there allowed: ${rule('forItsDepartment("ta")')}`,
      `place moved: ${rule('inOfferingsOfOthers(inItsUniversity("ta"))')}`,
      `place moved: ${rule('inOfferingsOfOthers(forItsUniversity("ta"))')}`,
      `role lowered: ${rule('inOfferingsOfOthers(forItsDepartment("student"))')}`,
      `role raised: ${rule('inOfferingsOfOthers(forItsDepartment("instructor"))')}`,
    ]);
  });
});

describe("faults of schemas", () => {
  const schemas = (source: string) => results(source, draftSchemaMutants(source));

  it("drop a check, change a bound, or drop a value", () => {
    expect(schemas("const a = z.string().min(2);")).toEqual([
      "min dropped: const a = z.string();",
      "bound moved: const a = z.string().min(3);",
    ]);
    expect(schemas("const a = integer(1, 5);")).toEqual([
      "bound moved: const a = integer(0, 5);",
      "bound moved: const a = integer(1, 6);",
    ]);
    expect(schemas("const a = title(255).nullable();")).toEqual([
      "nullable dropped: const a = title(255);",
      "bound moved: const a = title(256).nullable();",
    ]);
    expect(schemas('const a = z.enum(["b", "c"]);')).toEqual(['value dropped: const a = z.enum(["b"]);']);
  });

  it("skip other texts", () => {
    expect(schemas("const a = () => words.trim();")).toEqual([]);
  });
});

describe("faults of statements", () => {
  const statement = (text: string) => {
    const source = `const f = () => sql\`${text}\`;`;
    return draftSqlStatementMutants(source).map((fault) => ({
      category: fault.category,
      text: applyEdits(source, [fault.edit]).slice("const f = () => sql`".length, -2),
    }));
  };

  it("drop a condition or invert its comparison, up to the next word of the statement", () => {
    expect(statement("select a from b where c = 1 and d is null order by e").map(({ text }) => text)).toEqual(
      [
        "select a from b where true and d is null order by e",
        "select a from b where c <> 1 and d is null order by e",
        "select a from b where c = 1  order by e",
        "select a from b where c = 1 and d is not null order by e",
      ],
    );
  });

  it("are of tenancy if the condition is about a university", () => {
    // biome-ignore-start lint/suspicious/noTemplateCurlyInString: it is the source of a template
    expect(statement("select a where university_id = ${b} and c > ${d}")).toEqual([
      { category: "tenancy", text: "select a where true and c > ${d}" },
      { category: "tenancy", text: "select a where university_id <> ${b} and c > ${d}" },
      { category: "sql", text: "select a where university_id = ${b} " },
      { category: "sql", text: "select a where university_id = ${b} and c >= ${d}" },
    ]);
    // biome-ignore-end lint/suspicious/noTemplateCurlyInString: it is the source of a template
  });

  it("leave the bounds of between, strings and comments", () => {
    expect(statement("select a where b between 1 and 2").map(({ text }) => text)).toEqual([
      "select a where true",
    ]);
    expect(statement("select ' where a = 1 ' -- and b = 2\n")).toEqual([]);
  });

  it("compare no university, and ask no policy", () => {
    expect(
      within(
        'return and(eq(x.university_id, u), permissionCondition(actor, "a", u));',
        draftTenantIsolationMutants,
      ),
    ).toEqual([
      'university not compared: return and(undefined, permissionCondition(actor, "a", u));',
      "policy not asked: return and(eq(x.university_id, u), sql`true`);",
    ]);
  });
});

describe("faults of the database's functions", () => {
  const text = `-- Whether a = b and c.
create or replace function f(a integer) returns boolean language plpgsql as $$
begin
  if a = 1 and not exists (select from t where t.id = a) then return coalesce(a > 2, false); end if;
end $$;
`;

  it("name the function, and are made within its body", () => {
    const found = draftSqlRoutineMutants(text);
    expect(new Set(found.map(({ routine }) => routine))).toEqual(new Set(["f"]));
    const [, before = "", after = ""] = /^(.*?)if.*end if;\n(.*)$/s.exec(text) ?? [];
    expect(
      results(text, found).map((result) => result.replace(before, "").replace(after, "").trim()),
    ).toEqual([
      "branch inverted: if not (a = 1 and not exists (select from t where t.id = a)) then return coalesce(a > 2, false); end if;",
      "condition dropped: if a = 1  then return coalesce(a > 2, false); end if;",
      "not dropped: if a = 1 and exists (select from t where t.id = a) then return coalesce(a > 2, false); end if;",
      "condition dropped: if a = 1 and not exists (select from t where true) then return coalesce(a > 2, false); end if;",
      "equality inverted: if a = 1 and not exists (select from t where t.id <> a) then return coalesce(a > 2, false); end if;",
      "default inverted: if a = 1 and not exists (select from t where t.id = a) then return coalesce(a > 2, true); end if;",
    ]);
  });
});

describe("mutants", () => {
  const source = "const f = () => a && b;\nconst g = () => a && b;\n";
  const mutants = (text: string) =>
    mutantsFromDrafts("lib/x.ts", text, draftConditionMutants(text, "guards"));

  it("have ids that other changes of the file leave alone", () => {
    const ids = mutants(source).map(({ id }) => id);
    expect(new Set(ids).size).toBe(4);
    expect(mutants(`// More.\n\n\n${source}const h = 1;\n`).map(({ id }) => id)).toEqual(ids);
  });

  it("are applied together if they change different texts", () => {
    const [one, other, third, fourth] = mutants(source);
    expect(splitIntoNonOverlappingSets(mutants(source))).toEqual([
      [one, third],
      [other, fourth],
    ]);
  });
});
