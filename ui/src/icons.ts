// A small drawing for each family of resource types, beside the name in the graph: colour alone tells too little.

/** The lines of each drawing, in a square of 16. */
const LINES: Record<string, string> = {
  stack: 'M2 5l6-3 6 3-6 3zM2 8l6 3 6-3M2 11l6 3 6-3',
  container: 'M2 5l6-3 6 3v6l-6 3-6-3zM2 5l6 3 6-3M8 8v6',
  server: 'M2 3h12v4H2zM2 9h12v4H2zM4.5 5h.01M4.5 11h.01',
  network: 'M6 2h4v3H6zM2 11h4v3H2zM10 11h4v3h-4zM8 5v3M4 11V8h8v3',
  storage: 'M2.5 4a5.5 2 0 0011 0a5.5 2 0 00-11 0v8a5.5 2 0 0011 0V4',
  secret: 'M8.5 7.5L14 2M11 5l2 2M2.5 10.5a3 3 0 106 0a3 3 0 10-6 0',
  time: 'M2 8a6 6 0 1012 0a6 6 0 10-12 0M8 4.5V8l2.5 1.5',
  software: 'M5 4L1.5 8 5 12M11 4l3.5 4-3.5 4M9 3L7 13',
  value: 'M3 2.5h7l3 3v8H3zM10 2.5v3h3M5.5 8.5h5M5.5 11h5',
};
/** The first pattern that a type matches gives its family. */
const FAMILIES: [RegExp, string][] = [
  [/Group$|Stack|Chain|\.ya?ml$|\.template$/, 'stack'],
  [/Container|Docker|Image/, 'container'],
  [/Wait|Handle|Signal|Alarm|Cron|Delay|Polic/, 'time'],
  [/Software|Structured|Deployment|CloudConfig|CloudInit|Multipart|Workflow/, 'software'],
  [/Password|Random|Secret|Key|Barbican|User|Role|Trust/, 'secret'],
  [/Volume|Cinder|Swift|Bucket|S3|Manila|Disk|Trove|DBInstance|Database/, 'storage'],
  [/Server|Instance|Nova|Flavor/, 'server'],
  [/Net|Port|Router|FloatingIP|LoadBalanc|Neutron|Octavia|VPC|Gateway|Security|Designate|EIP|Route/, 'network'],
];

/** Return the drawing of a type as the URL of an image, in a colour. */
export function iconOf(type: string, colour: string): string {
  const family = FAMILIES.find(([pattern]) => pattern.test(type))?.[1] ?? 'value';
  const image = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="${colour}" stroke-width="1.3" stroke-linejoin="round" stroke-linecap="round"><path d="${LINES[family]}"/></svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}
