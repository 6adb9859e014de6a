CREATE TABLE "one_roster_sources" (
	"id" integer PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "one_roster_sources_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 2147483647 START WITH 1 CACHE 1),
	"university_id" integer NOT NULL,
	"name" varchar(255) NOT NULL,
	"service_url" varchar(2000) NOT NULL,
	"token_url" varchar(2000) NOT NULL,
	"client_id" varchar(255) NOT NULL,
	"secret_ciphertext" text NOT NULL,
	"created_by_user_id" integer,
	"mode" text NOT NULL,
	"state" text NOT NULL,
	"due_at" timestamp (3) with time zone NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"lease_until" timestamp (3) with time zone,
	"ended_at" timestamp (3) with time zone,
	"synced_at" timestamp (3) with time zone,
	"failure" varchar(255),
	"removals" integer,
	"import_id" integer,
	"created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL,
	CONSTRAINT "one_roster_sources_university_id_service_url_unique" UNIQUE("university_id","service_url"),
	CONSTRAINT "one_roster_sources_mode_check" CHECK ("one_roster_sources"."mode" in ('changes', 'full', 'preview', 'confirmed')),
	CONSTRAINT "one_roster_sources_state_check" CHECK ("one_roster_sources"."state" in ('requested', 'imported', 'previewed', 'unconfirmed', 'failed'))
);--> statement-breakpoint
ALTER TABLE "audit_events" DROP CONSTRAINT "audit_events_action_check";--> statement-breakpoint
ALTER TABLE "enrollments" ADD COLUMN "updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "course_offering_instructors" ADD COLUMN "created_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "university_members" ADD COLUMN "updated_at" timestamp (3) with time zone DEFAULT service_now() NOT NULL;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_university_id_universities_id_fk" FOREIGN KEY ("university_id") REFERENCES "public"."universities"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_created_by_user_id_users_id_fk" FOREIGN KEY ("created_by_user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "one_roster_sources" ADD CONSTRAINT "one_roster_sources_import_id_imports_id_fk" FOREIGN KEY ("import_id") REFERENCES "public"."imports"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "one_roster_sources_due_index" ON "one_roster_sources" USING btree (greatest(due_at, coalesce(lease_until, due_at)));--> statement-breakpoint
CREATE INDEX "one_roster_sources_created_by_user_id_index" ON "one_roster_sources" USING btree ("created_by_user_id");--> statement-breakpoint
CREATE INDEX "one_roster_sources_import_id_index" ON "one_roster_sources" USING btree ("import_id");--> statement-breakpoint
ALTER TABLE "audit_events" ADD CONSTRAINT "audit_events_action_check" CHECK ("audit_events"."action" in ('role.granted', 'role.revoked', 'invitation.sent', 'invitation.revoked', 'invitation.declined', 'import.started', 'api_key.created', 'api_key.revoked', 'api_key.adopted', 'scim_user.created', 'scim_user.deleted', 'scim_group.mapped', 'office.granted', 'office.revoked', 'accommodation.granted', 'accommodation.withdrawn', 'person.read', 'retention.set', 'retention.counted', 'retention.held', 'retention.released', 'retention.forgotten', 'data_request.made', 'data_request.approved', 'data_request.rejected', 'data_request.exported', 'data_request.done', 'group.created', 'group.changed', 'group.deleted', 'group.member_added', 'group.member_removed', 'identity_provider.created', 'identity_provider.changed', 'identity_provider.removed', 'lti_platform.created', 'lti_platform.changed', 'lti_platform.removed', 'lti_deployment.admitted', 'lti_deployment.removed', 'lti_context.bound', 'lti_context.unbound', 'lti_person.linked', 'lti_person.unlinked', 'lti_tool.created', 'lti_tool.changed', 'lti_tool.removed', 'one_roster_source.created', 'one_roster_source.removed', 'offering_staff.named', 'offering_staff.removed', 'offering_staff.readmitted', 'university_domain.granted', 'university_domain.removed', 'enrollment.created', 'enrollment.changed', 'exemption.granted', 'exemption.revoked', 'credentials.stored', 'credentials.removed', 'university.deactivated', 'university.reactivated', 'university.own_provider_required', 'university.own_provider_waived', 'university.exported', 'university.imported', 'university.removed', 'account.deactivated', 'account.reactivated', 'member.suspended', 'member.restored', 'member.corrected', 'account.exported', 'account.erased', 'account.erasure_ended', 'account.taken_over', 'access.refused', 'sign_in', 'sign_in.failed', 'password.changed', 'password.reset', 'email.changed', 'tokens.ended', 'prompt.version_created', 'prompt.labels_set', 'prompt.deleted', 'prompt.rollout_started', 'prompt.rollout_promoted', 'prompt.rollout_stopped', 'tutor_answer.replaced', 'tutor_answer.purged', 'tutor_answer.restored', 'tutor_answer.keyed', 'tutor_answer.approved', 'tutor_answers.warmed', 'tutor_pin.confirmed', 'tutor_pin.dropped', 'tutor_notes.changed', 'quiz.override_granted', 'quiz.regraded', 'certificate.issued', 'certificate.revoked', 'certificate.reissued', 'submission.override_granted', 'auto_grader.read', 'auto_grader.renewed', 'tutor_progress.read', 'grade.changed', 'grades.released', 'grading_scheme.changed', 'content.settings_removed', 'announcement.deleted', 'post.hidden', 'post.kept', 'review.hidden', 'review.kept', 'thread.locked', 'thread.unlocked', 'thread.deleted', 'file.refused', 'lti_roster.taken'));
