import { until } from '../../../tools/helpers/until';
import { comesAbout, type Editor } from './editor';

/** The canvas of n8n's editor: a workflow is brought there as a whole, and its nodes are looked at and run. */
export class Canvas {
	constructor(private readonly editor: Editor) {}

	/** Pastes a workflow onto an empty canvas. */
	async paste(workflow: string): Promise<void> {
		const { page } = this.editor;
		await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
		await this.editor.emptyCanvas();
		// A string, because the browser's types are not those of the tests
		await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(workflow)})`);
		// While n8n still loads or closes a panel, it drops what is pasted, and nothing shows when that is over
		await until('the workflow is pasted', async () => {
			await this.editor.at('canvas').click({ position: { x: 200, y: 20 } });
			await page.keyboard.press('Control+v');
			return await comesAbout(this.editor.canvas.first().waitFor({ timeout: 15_000 }));
		});
	}

	/** Opens a new workflow from the overview. */
	async openNew(): Promise<void> {
		const { page } = this.editor;
		const item = page.getByText('New workflow', { exact: true });
		// While n8n still loads the overview, it drops the click, or closes the menu
		await until('a new workflow opens', async () => {
			if (!(await item.isVisible())) await this.editor.at('universal-add').click();
			await comesAbout(item.click({ timeout: 1000 }));
			return await comesAbout(page.waitForURL('**/workflow/**', { timeout: 5000 }));
		});
	}

	/** Imports a workflow by the menu, into an empty one. */
	async importUrl(url: string): Promise<void> {
		const { page } = this.editor;
		const input = this.editor.at('workflow-url-import-input');
		// While n8n still loads the empty workflow, it drops this one, and nothing shows when that is over
		await until('the workflow is imported', async () => {
			await this.editor.at('workflow-menu').click();
			await page.getByRole('menuitem', { name: 'Import' }).hover();
			await page.getByRole('menuitem', { name: 'From URL' }).click();
			// n8n gives the test ID to the input itself, or to a box around it
			await input.locator('input').or(input).first().fill(url);
			await this.editor.at('confirm-workflow-import-url-button').click();
			return await comesAbout(this.editor.canvas.first().waitFor({ timeout: 15_000 }));
		});
	}

	/** Shows all of the workflow, nothing selected. */
	async zoomToFit(): Promise<void> {
		await this.editor.at('zoom-to-fit').click();
		await this.editor.at('canvas').click({ position: { x: 200, y: 20 } });
	}

	/** The names of the nodes that are shown now: of all, or of those with a mark that something is missing. */
	async readNames({ withIssues = false } = {}): Promise<string[]> {
		const marked = `:has([data-test-id="node-issues"])`;
		// A string, because the browser's types are not those of the tests
		return await this.editor.page.evaluate(
			`[...document.querySelectorAll('[data-test-id="canvas-node"]${withIssues ? marked : ''}')]
				.map(({ dataset }) => dataset.nodeName)`,
		);
	}

	/** Runs the whole workflow, and waits for the end. */
	async execute(): Promise<void> {
		await this.editor.closeMessages();
		await this.editor.at('execute-workflow-button').first().click();
		await this.editor.page.getByText('Workflow executed successfully').waitFor();
		await this.editor.closeMessages();
	}

	/** Sets the time zone in the settings of the workflow. */
	async setTimezone(timezone: string): Promise<void> {
		const { editor } = this;
		await editor.at('workflow-menu').click();
		await editor.page.getByRole('menuitem', { name: 'Settings' }).click();
		const select = editor.at('workflow-settings-timezone').locator('input');
		await select.click();
		await select.fill(timezone);
		const option = editor.page.getByRole('option').filter({ hasText: timezone }).first();
		await option.click();
		// The next click would only close the list
		await option.waitFor({ state: 'hidden' });
		await editor.at('workflow-settings-save-button').getByRole('button').click();
		await editor.at('workflow-settings-dialog').waitFor({ state: 'hidden' });
		await editor.closeMessages();
	}

	async publish(): Promise<void> {
		const { page } = this.editor;
		await this.editor.at('workflow-open-publish-modal-button').click();
		await page.getByRole('button', { name: 'Publish', exact: true }).last().click();
	}
}
