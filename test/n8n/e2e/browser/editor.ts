import type { Locator, Page } from 'playwright-core';
import { defined } from '../../../tools/helpers/at';
import { until } from '../../../tools/helpers/until';

export const boxOf = async (part: Locator) => defined(await part.boundingBox());

/** Whether that comes about within its own time limit. */
export const comesAbout = async (awaited: Promise<unknown>) =>
	(await Promise.allSettled([awaited]))[0].status === 'fulfilled';

/**
 * n8n's editor as a person uses it: what is clicked, typed and read. Each step waits until the editor takes the next one;
 * what is read is what the editor shows now, which may change in a moment (see `eventually`). The `data-test-id`s are n8n's own, made for its own tests.
 */
export class Editor {
	readonly panel: Locator;

	/** The output of the open node's last run. */
	readonly output: Locator;

	readonly credentialDialog: Locator;

	readonly nodeList: Locator;

	/** The nodes of the workflow on the canvas. */
	readonly canvas: Locator;

	private readonly messages: Locator;

	constructor(
		readonly page: Page,
		private readonly baseUrl: string,
	) {
		this.panel = this.at('ndv');
		this.output = this.at('output-panel');
		this.credentialDialog = this.at('editCredential-modal');
		this.nodeList = this.at('node-creator');
		this.canvas = this.at('canvas-node');
		this.messages = page.locator('.el-notification');
	}

	at(testId: string, inside: Page | Locator = this.page): Locator {
		return inside.locator(`[data-test-id="${testId}"]`);
	}

	async signIn({ email, password }: { email: string; password: string }): Promise<void> {
		await this.page.goto(`${this.baseUrl}/signin`);
		await this.page.getByLabel('Email').fill(email);
		await this.page.getByLabel('Password').fill(password);
		await this.page.getByRole('button', { name: 'Sign in' }).click();
		await this.page.waitForURL(/\/(home|workflow)/);
	}

	/** Shows an empty workflow: where there is one already, by deleting its nodes, because to load n8n's editor takes seconds. */
	async emptyCanvas(): Promise<void> {
		const inTheWay = this.nodeList.or(this.credentialDialog);
		if ((await this.canvas.count()) === 0 || (await inTheWay.count()) > 0) {
			await this.page.goto(`${this.baseUrl}/workflow/new`);
		} else {
			if (await this.panel.isVisible()) await this.closePanel();
			await this.page.keyboard.press('Control+a');
			await this.page.keyboard.press('Delete');
		}
		await this.at('canvas-add-button').waitFor();
	}

	/** Opens an empty workflow with the list of nodes beside it. */
	async newWorkflow(): Promise<void> {
		await this.emptyCanvas();
		await this.at('canvas-add-button').click();
		await this.nodeList.waitFor();
	}

	async openWorkflow(workflowId: string): Promise<void> {
		await this.page.goto(`${this.baseUrl}/workflow/${workflowId}`);
		await this.canvas.first().waitFor();
	}

	/** Opens the panel of a node on the canvas. */
	async openNode(name: string): Promise<void> {
		await this.canvas.filter({ has: this.page.getByText(name, { exact: true }) }).dblclick();
		await this.panel.waitFor();
	}

	/** Types into the search of the node list; returns the names that it then shows, best first. */
	async searchNodes(text: string): Promise<string[]> {
		const search = this.nodeList.getByRole('textbox').first();
		const names = this.at('node-creator-item-name', this.nodeList);
		// So that no result of an earlier search is taken for one of this search
		await search.fill('nothing has this name');
		await until('the node list is empty', async () => (await names.count()) === 0);
		await search.fill(text);
		await names.first().waitFor();
		return await names.allInnerTexts();
	}

	/** Searches for a node, and chooses the best entry that has exactly this name. */
	private async chooseNode(name: string, text = name): Promise<void> {
		await this.searchNodes(text);
		const exactly = this.page.getByText(name, { exact: true });
		await this.at('item-iterator-item', this.nodeList).filter({ has: exactly }).first().click();
	}

	/** Adds a manual trigger to an empty workflow and opens the list of nodes for the next one. */
	async addManualTrigger(): Promise<void> {
		await this.chooseNode('Manual Trigger', 'manual');
		await this.canvas.first().waitFor();
		await this.at('canvas-handle-plus').click();
		await this.nodeList.getByText('What happens next?').waitFor();
	}

	/** Chooses a node from the list, then one of its actions or triggers; its panel opens. */
	async addNode(name: string, action: string): Promise<void> {
		await this.chooseNode(name);
		const actions = this.nodeList.getByText(action, { exact: true });
		// The list opens on the actions, with the triggers collapsed, or the other way around
		const isListed = await comesAbout(actions.waitFor({ timeout: 10_000 }));
		if (!isListed) await this.at('node-creator-category-item', this.nodeList).last().click();
		await actions.click();
		await this.panel.waitFor();
	}

	/** Adds a node that has no actions behind the last node of the workflow; its panel opens. */
	async addNodeAtEnd(name: string): Promise<void> {
		await this.at('canvas-handle-plus').last().click();
		await this.nodeList.waitFor();
		await this.chooseNode(name);
		await this.panel.waitFor();
	}

	async newWorkflowWith(name: string, action: string): Promise<void> {
		await this.newWorkflow();
		await this.addManualTrigger();
		await this.addNode(name, action);
	}

	/** Waits until n8n has by itself selected this credential, the only one, in the open node. */
	async useCredential(name: string): Promise<void> {
		const chosen = this.at('node-credentials-select').locator('input').first();
		await until(`${name} is chosen`, async () => (await chosen.inputValue()) === name);
	}

	/** Types into a field of the open node or dialog, replacing what was there. */
	async fill(parameter: string, value: string): Promise<void> {
		await this.at(`parameter-input-${parameter}`).locator('input').fill(value);
	}

	/** Drags a field from the input pane to the fields of an open node "Edit Fields". */
	async dragField(name: string): Promise<void> {
		const field = this.at('run-data-schema-node-name', this.at('ndv-input-panel'));
		await field
			.filter({ hasText: name })
			.first()
			.dragTo(this.at('assignment-collection-drop-area'), { steps: 10 });
		await this.at('assignment').first().waitFor();
	}

	/** Runs the open node by its button, and waits for the end. */
	async execute(button = 'Execute step'): Promise<void> {
		await this.closeMessages();
		await this.at('node-execute-button').filter({ hasText: button }).click();
		await this.messages.first().waitFor();
		await this.closeMessages();
	}

	async viewOutput(as: 'Schema' | 'Table' | 'JSON' | 'Binary'): Promise<void> {
		await this.at(`radio-button-${as.toLowerCase()}`, this.output).click();
	}

	/** The output's table, as it is shown now: the head, then the rows. */
	async readTable(): Promise<string[][]> {
		await this.viewOutput('Table');
		const rows = this.output.locator('table tr');
		await rows.first().waitFor();
		// All at once, the cells of a row with tabs between them
		return (await rows.allInnerTexts()).map((row) => {
			const cells = row.split('\t').map((text) => text.trim());
			// The last cell is a margin
			return cells.at(-1) === '' ? cells.slice(0, -1) : cells;
		});
	}

	async readHints(): Promise<string[]> {
		const hints = await this.at('node-hint', this.output).allInnerTexts();
		return hints.map((hint) => hint.trim());
	}

	/** The message of a node that failed, and what it says to do. */
	async readFailure(): Promise<{ message: string; description: string }> {
		return {
			message: await this.at('node-error-message', this.output).innerText(),
			description: await this.at('node-error-description', this.output).innerText(),
		};
	}

	/** Sets the width of the pane to the left of the parameters; the output gets the rest. */
	async narrowInput(pixels: number): Promise<void> {
		const handle = this.at('panel-drag-button');
		const { x, y } = await boxOf(handle);
		const width = (await boxOf(this.at('tab-params'))).x - (await boxOf(this.panel)).x;
		await handle.hover({ position: { x: 5, y: 5 } });
		await this.page.mouse.down();
		await this.page.mouse.move(x + 5 - (width - pixels), y + 5, { steps: 5 });
		await this.page.mouse.up();
	}

	async closePanel(): Promise<void> {
		await this.at('ndv-close-button').click();
		await this.panel.waitFor({ state: 'hidden' });
	}

	async saveCredential(): Promise<void> {
		// n8n asks its server for a name, and refuses a credential that has none yet
		await this.at('credential-name').filter({ hasText: /\S/ }).waitFor();
		await this.at('credential-save-button').click();
	}

	/** Closes the messages in the corner of the window. */
	async closeMessages(): Promise<void> {
		await until('no message is left', async () => {
			if ((await this.messages.count()) === 0) return true;
			await this.messages
				.first()
				.locator('.el-notification__closeBtn')
				.click({ timeout: 1000 })
				// A message also closes by itself
				.catch(() => undefined);
			return false;
		});
	}
}
