// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {ERC20} from "../tokens/ERC20.sol";
import {ERC20Permit} from "../tokens/ERC20Permit.sol";
import {AccessControlsRegistry} from "./AccessControlsRegistry.sol";

/// @title A tokenised stock: pausable, everybody who touches it checked, its shares by a multiplier (ERC-8056).
/// @notice Balances never rebase. One token stands for `uiMultiplier / 1e18` shares; a split or a reinvested dividend
/// announces a new one, which takes effect by the clock without a log. The oracle prices one token, multiplier included.
contract StockToken is ERC20Permit {
    event Paused(address account);
    event Unpaused(address account);
    event OraclePaused(bool paused);
    event UIMultiplierUpdated(uint256 oldMultiplier, uint256 newMultiplier, uint256 effectiveAt);

    error OnlyOperator();
    error AlreadyInitialized();
    error EnforcedPause();
    error AccountBlocked(address account);

    address public operator;
    AccessControlsRegistry public ACCESS_CONTROLLED_REGISTRY;
    bool public oraclePaused;
    bool private _paused;
    uint256 private _multiplier;
    uint256 public newUIMultiplier;
    uint256 public effectiveAt;

    constructor() {
        // The implementation itself is nobody's token.
        operator = address(0xdead);
    }

    modifier onlyOperator() {
        if (msg.sender != operator) revert OnlyOperator();
        _;
    }

    function initialize(string calldata name_, string calldata symbol_, address registry_, address operator_) external {
        if (operator != address(0)) revert AlreadyInitialized();
        _name = name_;
        _symbol = symbol_;
        ACCESS_CONTROLLED_REGISTRY = AccessControlsRegistry(registry_);
        operator = operator_;
        _multiplier = 1e18;
        newUIMultiplier = 1e18;
    }

    function mint(address to, uint256 value) external onlyOperator {
        _mint(to, value);
    }

    /// @notice Of this token or of all of them.
    function paused() public view returns (bool) {
        return _paused || ACCESS_CONTROLLED_REGISTRY.paused();
    }

    function uiMultiplier() public view returns (uint256) {
        return block.timestamp >= effectiveAt ? newUIMultiplier : _multiplier;
    }

    /// @notice Shares a wallet's tokens stand for.
    function balanceOfUI(address owner) external view returns (uint256) {
        return _balances[owner] * uiMultiplier() / 1e18;
    }

    function setPaused(bool paused_) external onlyOperator {
        _paused = paused_;
        if (paused_) emit Paused(msg.sender);
        else emit Unpaused(msg.sender);
    }

    function setOraclePaused(bool paused_) external onlyOperator {
        oraclePaused = paused_;
        emit OraclePaused(paused_);
    }

    function setUIMultiplier(uint256 multiplier, uint256 effectiveAt_) external onlyOperator {
        _multiplier = uiMultiplier();
        newUIMultiplier = multiplier;
        effectiveAt = effectiveAt_;
        emit UIMultiplierUpdated(_multiplier, multiplier, effectiveAt_);
    }

    function _approve(address owner, address spender, uint256 value) internal override {
        if (paused()) revert EnforcedPause();
        _check(owner);
        _check(spender);
        super._approve(owner, spender, value);
    }

    function _move(address from, address to, uint256 value) internal override {
        if (paused()) revert EnforcedPause();
        _check(msg.sender);
        _check(from);
        _check(to);
        super._move(from, to, value);
    }

    function _check(address account) private view {
        if (ACCESS_CONTROLLED_REGISTRY.isBlocked(account)) revert AccountBlocked(account);
    }
}
