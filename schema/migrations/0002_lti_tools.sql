CREATE TABLE "lti_tool_deployments" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_tool_deployments_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"tool_id" integer NOT NULL,
	"university_id" integer NOT NULL,
	"course_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_tool_deployments_unique" UNIQUE NULLS NOT DISTINCT("tool_id","course_id")
);--> statement-breakpoint
CREATE TABLE "lti_tools" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "lti_tools_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"client_id" varchar(64) NOT NULL,
	"login_url" varchar(1000) NOT NULL,
	"launch_url" varchar(1000) NOT NULL,
	"deep_linking_url" varchar(1000),
	"redirect_uris" text[] NOT NULL,
	"jwks_url" varchar(1000),
	"public_jwks" jsonb,
	"shares_name" boolean DEFAULT false NOT NULL,
	"shares_email" boolean DEFAULT false NOT NULL,
	"custom_parameters" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"target" text DEFAULT 'frame' NOT NULL,
	"subject_key" varchar(32) NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "lti_tools_client_id_unique" UNIQUE("client_id"),
	CONSTRAINT "lti_tools_id_university_id_unique" UNIQUE("id","university_id"),
	CONSTRAINT "lti_tools_target_check" CHECK ("lti_tools"."target" in ('frame', 'window')),
	CONSTRAINT "lti_tools_keys_check" CHECK (num_nonnulls("lti_tools"."jwks_url", "lti_tools"."public_jwks") = 1)
);--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";--> statement-breakpoint
ALTER TABLE "lti_tool_deployments" ADD CONSTRAINT "lti_tool_deployments_tool_fk" FOREIGN KEY ("tool_id","university_id") REFERENCES "public"."lti_tools"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_tool_deployments" ADD CONSTRAINT "lti_tool_deployments_course_fk" FOREIGN KEY ("course_id","university_id") REFERENCES "public"."courses"("id","university_id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "lti_tools" ADD CONSTRAINT "lti_tools_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "lti_tool_deployments_tool_id_university_id_index" ON "lti_tool_deployments" USING btree ("tool_id","university_id");--> statement-breakpoint
CREATE INDEX "lti_tool_deployments_course_id_university_id_index" ON "lti_tool_deployments" USING btree ("course_id","university_id");--> statement-breakpoint
CREATE INDEX "lti_tools_university_id_index" ON "lti_tools" USING btree ("university_id");--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'person.read', 'retention.set', 'retention.counted', 'retention.held', 'retention.released', 'retention.forgotten', 'data_request.made', 'data_request.approved', 'data_request.rejected', 'data_request.exported', 'data_request.done', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'lti_tool.created', 'lti_tool.changed', 'lti_tool.removed', 'offering_staff.named', 'offering_staff.removed', 'offering_staff.readmitted', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'));
--> statement-breakpoint
INSERT INTO "content_types" ("name", "label", "description", "takes_result") VALUES
  ('external_tool', 'External tool', 'A tool of another vendor, opened by LTI', false);
