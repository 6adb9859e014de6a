// The learner's main job through the client that oapi-codegen wrote.
package main

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"

	"example.edu/learning/platform"
	openapi_types "github.com/oapi-codegen/runtime/types"
)

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}

func must[Value any](value Value, err error) Value {
	check(err)
	return value
}

// An operation's response, if it has the expected type.
func have[Answer any](answer *Answer, body []byte) Answer {
	if answer == nil {
		log.Fatal(string(body))
	}
	return *answer
}

func main() {
	base, email, password, code := os.Args[1], os.Args[2], os.Args[3], os.Args[4]
	token := ""
	client := must(platform.NewClientWithResponses(base, platform.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			if token != "" {
				request.Header.Set("Authorization", "Bearer "+token)
			}
			return nil
		})))
	ctx := context.Background()
	login := must(client.LoginWithResponse(ctx, platform.Credentials{Email: openapi_types.Email(email), Password: password}))
	token = have(login.JSON200, login.Body).AccessToken

	limit := 20
	courses := must(client.ListCoursesWithResponse(ctx, &platform.ListCoursesParams{Limit: &limit}))
	listed := have(courses.JSON200, courses.Body)
	courseId := 0
	for _, course := range listed {
		if course.Code == code {
			courseId = course.Id
		}
	}
	offerings := must(client.ListCourseOfferingsWithResponse(ctx, courseId, nil))
	offeringId := have(offerings.JSON200, offerings.Body)[0].Id
	enrolled := must(client.CreateEnrollmentWithResponse(ctx, platform.EnrollmentCreate{CourseOfferingId: offeringId}))
	enrollment := have(enrolled.JSON201, enrolled.Body)
	outlined := must(client.GetCourseOfferingOutlineWithResponse(ctx, courseId, offeringId, nil))
	itemId := 0
	for _, module := range have(outlined.JSON200, outlined.Body).Modules {
		if len(module.Items) > 0 && itemId == 0 {
			itemId = module.Items[0].Id
		}
	}

	opened := must(client.CreateChatSessionWithResponse(ctx, platform.ChatSessionCreate{ContentItemId: itemId}))
	sessionId := have(opened.JSON201, opened.Body).Id
	stream := must(client.SendChatMessageWithResponse(ctx, sessionId, platform.ChatMessageCreate{Content: "Start."}))
	var end platform.TutorEvent
	words := 0
	for _, line := range strings.Split(string(stream.Body), "\n") {
		if data, isData := strings.CutPrefix(line, "data: "); isData {
			end = platform.TutorEvent{}
			check(json.Unmarshal([]byte(data), &end))
			words += len(end.Content)
		}
	}

	recorded := must(client.RecordContentProgressWithResponse(ctx, platform.ContentProgressPost{
		ContentItemId: itemId, CourseOfferingId: offeringId, ProgressPercent: 50,
	}))
	have(recorded.JSON200, recorded.Body)
	mine := must(client.ListMyContentProgressWithResponse(ctx,
		&platform.ListMyContentProgressParams{CourseOfferingId: &offeringId}))
	var percent float32
	for _, one := range have(mine.JSON200, mine.Body) {
		if one.ContentItemId == itemId {
			percent = one.ProgressPercent
		}
	}
	none := must(client.GetCourseWithResponse(ctx, 2147483647))
	missing := have(none.JSON404, none.Body).Detail

	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"courses": len(listed), "enrollment": enrollment.Status, "words": words,
		"ended": end.Done && end.MessageId != nil, "question": end.Question.QuestionId,
		"progress": percent, "missing": missing,
	}))
}
