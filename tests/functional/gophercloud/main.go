// A client of the orchestration API by gophercloud: arguments are the URL with the project and the
// file of a template. It prints a line for each call and ends with status 1 after a failure.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/gophercloud/gophercloud"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/buildinfo"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/resourcetypes"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/stackevents"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/stackresources"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/stacks"
	"github.com/gophercloud/gophercloud/openstack/orchestration/v1/stacktemplates"
)

func check(what string, err error) {
	if err != nil {
		fmt.Println("FAILED", what, err)
		failed = true
		return
	}
	fmt.Println("ok", what)
}

var failed bool

func wait(c *gophercloud.ServiceClient, name, id, status string) {
	for i := 0; i < 1200; i++ {
		s, err := stacks.Get(c, name, id).Extract()
		if err == nil && s.Status == status {
			fmt.Println("ok", status)
			return
		}
		if status == "GONE" && (err != nil || s.Status == "DELETE_COMPLETE") {
			fmt.Println("ok gone")
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	check("wait for "+status, fmt.Errorf("not reached"))
}

func main() {
	c := &gophercloud.ServiceClient{
		ProviderClient: &gophercloud.ProviderClient{},
		Endpoint:       os.Args[1] + "/",
		Type:           "orchestration",
	}
	text, _ := os.ReadFile(os.Args[2])
	t := &stacks.Template{TE: stacks.TE{Bin: text}}
	opts := stacks.CreateOpts{Name: "gopher", TemplateOpts: t, Tags: []string{"a", "b"}}
	p, err := stacks.Preview(c, stacks.PreviewOpts{Name: "gopher", TemplateOpts: t, Timeout: 10}).Extract()
	check("preview", err)
	if err == nil {
		fmt.Println("  ", len(p.Resources), p.Name)
	}
	made, err := stacks.Create(c, opts).Extract()
	check("create", err)
	wait(c, "gopher", made.ID, "CREATE_COMPLETE")
	s, err := stacks.Get(c, "gopher", made.ID).Extract()
	check("get", err)
	fmt.Println("  ", s.Name, s.Outputs, s.Tags, s.CreationTime)
	f, err := stacks.Find(c, "gopher").Extract()
	check("find", err)
	fmt.Println("  ", f.ID == made.ID)
	pages, err := stacks.List(c, stacks.ListOpts{Name: "gopher"}).AllPages()
	check("list", err)
	list, err := stacks.ExtractStacks(pages)
	check("list extract", err)
	fmt.Println("  ", len(list))
	rp, err := stackresources.List(c, "gopher", made.ID, stackresources.ListOpts{Depth: 2}).AllPages()
	check("resources", err)
	rs, err := stackresources.ExtractResources(rp)
	check("resources extract", err)
	for _, r := range rs {
		fmt.Println("  ", r.Name, r.Type, r.Status, r.CreationTime)
	}
	r, err := stackresources.Get(c, "gopher", made.ID, rs[0].Name).Extract()
	check("resource", err)
	fmt.Println("  ", r.Attributes)
	_, err = stackresources.Metadata(c, "gopher", made.ID, rs[0].Name).Extract()
	check("metadata", err)
	_, err = stackresources.ListTypes(c).AllPages()
	check("types", err)
	_, err = stackresources.Schema(c, "OS::Heat::Value").Extract()
	check("schema", err)
	_, err = stackresources.Template(c, "OS::Heat::Value").Extract()
	check("type template", err)
	rt, err := resourcetypes.List(c, resourcetypes.ListOpts{NameRegex: "OS::Heat.*", WithDescription: true}).Extract()
	check("resourcetypes", err)
	fmt.Println("  ", len(rt))
	_, err = resourcetypes.GetSchema(c, "OS::Heat::Value").Extract()
	check("resourcetypes schema", err)
	_, err = resourcetypes.GenerateTemplate(c, "OS::Heat::Value", nil).Extract()
	check("resourcetypes template", err)
	ep, err := stackevents.List(c, "gopher", made.ID, nil).AllPages()
	check("events", err)
	es, err := stackevents.ExtractEvents(ep)
	check("events extract", err)
	fmt.Println("  ", len(es))
	if len(es) > 0 {
		ev := es[len(es)-2]
		_, err = stackevents.Get(c, "gopher", made.ID, ev.ResourceName, ev.ID).Extract()
		check("event", err)
	}
	rep, err := stackevents.ListResourceEvents(c, "gopher", made.ID, rs[0].Name, nil).AllPages()
	check("resource events", err)
	_, err = stackevents.ExtractEvents(rep)
	check("resource events extract", err)
	_, err = stacktemplates.Get(c, "gopher", made.ID).Extract()
	check("template", err)
	_, err = stacktemplates.Validate(c, stacktemplates.ValidateOpts{Template: string(text)}).Extract()
	check("validate", err)
	b, err := buildinfo.Get(c).Extract()
	check("build info", err)
	fmt.Println("  ", b)
	err = stacks.Update(c, "gopher", made.ID, stacks.UpdateOpts{TemplateOpts: t, Tags: []string{"c"}}).ExtractErr()
	check("update", err)
	wait(c, "gopher", made.ID, "UPDATE_COMPLETE")
	err = stacks.UpdatePatch(c, "gopher", made.ID, stacks.UpdateOpts{Parameters: map[string]interface{}{}}).ExtractErr()
	check("patch", err)
	wait(c, "gopher", made.ID, "UPDATE_COMPLETE")
	a, err := stacks.Abandon(c, "gopher", made.ID).Extract()
	check("abandon", err)
	if err == nil {
		fmt.Println("  ", a.Name, len(a.Resources))
	}
	wait(c, "gopher", made.ID, "GONE")
	data := string(mustJSON(a))
	ad, err := stacks.Adopt(c, stacks.AdoptOpts{Name: "gopher", AdoptStackData: data, Timeout: 5, TemplateOpts: t}).Extract()
	check("adopt", err)
	wait(c, "gopher", ad.ID, "ADOPT_COMPLETE")
	err = stacks.Delete(c, "gopher", ad.ID).ExtractErr()
	check("delete", err)
	if failed {
		os.Exit(1)
	}
}

func mustJSON(v interface{}) []byte {
	b, err := json.Marshal(v)
	check("json", err)
	return b
}
