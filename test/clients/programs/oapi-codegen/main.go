package main

import (
	"clients/service"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
)

var ctx = context.Background()

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func client(key string) *service.ClientWithResponses {
	sign := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}
	made, err := service.NewClientWithResponses(os.Args[1], service.WithRequestEditorFn(sign))
	check(err)
	return made
}

func submit(key, org, repository, workflow string) *service.SubmitJobResponse {
	body := service.JobSubmission{Workflow: workflow, Params: map[string]interface{}{}}
	answer, err := client(key).SubmitJobWithResponse(ctx, org, repository, "main", nil, body)
	check(err)
	return answer
}

func main() {
	full, broke, slow, done := os.Args[2], os.Args[3], os.Args[4], os.Args[5]
	refs, hasMore := []string{}, true
	var acknowledged any
	kind, status, limit := service.Finding, service.New, 20
	query := service.ListObservationsParams{Kind: &kind, Status: &status, Limit: &limit}
	for {
		page, err := client(full).ListObservationsWithResponse(ctx, &query)
		check(err)
		if len(refs) == 0 && page.JSON200.Data[0].AcknowledgedAt != nil {
			acknowledged = page.JSON200.Data[0].AcknowledgedAt
		}
		for _, one := range page.JSON200.Data {
			refs = append(refs, one.Ref)
		}
		hasMore = page.JSON200.HasMore
		query.Cursor = page.JSON200.NextCursor
		if query.Cursor == nil {
			break
		}
	}
	registration := service.RepositoryRegistration{Owner: "octocat", Repo: "hello-world", Branch: "main"}
	registered, err := client(full).RegisterRepoWithResponse(ctx, registration)
	check(err)
	job := submit(full, "acme", "web", "audit").JSON201
	over, err := client(full).CancelJobWithResponse(ctx, done)
	check(err)
	limited := ""
	for limited == "" {
		answer, err := client(slow).ListJobsWithResponse(ctx, nil)
		check(err)
		if answer.JSON429 != nil {
			limited = answer.JSON429.Error.Code
		}
	}
	codes := []string{
		submit(broke, "broke-co", "site", "audit").JSON402.Error.Code,
		over.JSON409.Error.Code,
		submit(full, "acme", "web", "mini_audit").JSON422.Error.Code,
		limited,
	}
	text, err := json.Marshal(map[string]any{
		"refs": refs, "hasMore": hasMore, "acknowledged": acknowledged, "discover": registered.JSON201.DiscoverJobId,
		"job": []string{job.Id, job.Workflow, string(job.Status)}, "codes": codes,
	})
	check(err)
	fmt.Println(string(text))
}
