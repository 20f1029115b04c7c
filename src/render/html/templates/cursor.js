// One moment across all lanes: under the pointer, or with the arrow keys.
for (const chart of document.querySelectorAll('.chart')) {
  const cursor = chart.querySelector('.cursor');
  const text = cursor.firstElementChild;
  const bar = chart.querySelector('.bar');
  const from = Number(chart.dataset.from);
  const millis = Number(chart.dataset.millis);
  let part = 0.5;
  const show = function (wanted) {
    part = Math.min(1, Math.max(0, wanted));
    const box = bar.getBoundingClientRect();
    const left = box.left - chart.getBoundingClientRect().left - chart.clientLeft;
    cursor.style.left = left + part * box.width + 'px';
    text.style.transform = 'translateX(' + (-100 * part) + '%)';
    text.textContent = ((from + part * millis) / 1000).toFixed(1) + ' s';
    cursor.hidden = false;
  };
  chart.addEventListener('pointermove', function (event) {
    const box = bar.getBoundingClientRect();
    show((event.clientX - box.left) / box.width);
  });
  chart.addEventListener('pointerleave', function () { cursor.hidden = true; });
  chart.addEventListener('blur', function () { cursor.hidden = true; });
  chart.addEventListener('keydown', function (event) {
    if (event.key === 'ArrowLeft') { show(part - 0.01); event.preventDefault(); }
    if (event.key === 'ArrowRight') { show(part + 0.01); event.preventDefault(); }
  });
}
