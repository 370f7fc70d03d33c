import { parseArgs } from 'node:util';
import { ACTIONS, CONTROL_PATH } from './control';
import { startService } from './service';
import { manySites, sampleSites } from './sites';

const USAGE = `Starts a stand-in for the aquaculture service, with invented sites.

  --port 8080           the port to listen on (default: any free one)
  --base-path /api/v2   the path of the base address (default: none)
  --many 1000           this many more sites, with IDs from 5001 on
`;

async function main(): Promise<void> {
	const { values } = parseArgs({
		options: {
			port: { type: 'string', default: '0' },
			'base-path': { type: 'string', default: '' },
			many: { type: 'string', default: '0' },
		},
	});

	const service = await startService({
		port: Number(values.port),
		basePath: values['base-path'].replace(/^\/*(?=.)/, '/').replace(/\/+$/, ''),
		sites: [...sampleSites(), ...manySites(Number(values.many))],
		record: 1000,
		control: true,
	});
	const stop = () => void service.close();
	process.on('SIGINT', stop).on('SIGTERM', stop);
	const { baseUrl, login } = service;
	const control = service.origin + CONTROL_PATH;
	console.log(`The stand-in service is running; its sites are invented. Stop it with Ctrl-C.

  Base URL   ${baseUrl}
  Username   ${login.username}
  Password   ${login.password}
  Sites      ${sampleSites()
		.map(({ siteId, siteName }) => `${siteId} ${siteName}`)
		.join(', ')}

Log in:
  curl -s ${baseUrl}/auth/token -H 'Api-Version: 2025-01-01' -H 'Content-Type: application/json' \\
    -d '${JSON.stringify(login)}'
Get a site; replace TOKEN with the access_token of that response:
  curl -s '${baseUrl}/meta/sites/1042?$include=info,units' -H 'Api-Version: 2025-01-01' -H 'Authorization: Bearer TOKEN'

Show the state of the service:
  curl -s ${control}
Let the next two site requests fail, and each token expire after ten requests:
  curl -s ${control}/faults -d '{ "site": [{ "status": 503, "retryAfter": 2, "times": 2 }], "tokenLifetime": { "uses": 10 } }'
All that a fault can do: test/tools/fake-service/faults.ts. Add or replace a site, expire all tokens, reset everything:
  curl -s ${control}/sites -d '{ "siteId": 1200, "siteName": "Ny", "info": {}, "units": [] }'
  curl -s -X POST ${control}/expire-tokens
  curl -s -X POST ${control}/reset
One change at a time:
${Object.entries(ACTIONS)
	.map(([name, what]) => `  curl -s -X POST ${`${control}/${name}`.padEnd(46)} # ${what}`)
	.join('\n')}
`);
}

main().catch((error: unknown) => {
	console.error(`${String(error)}\n\n${USAGE}`);
	process.exitCode = 1;
});
